import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import type { NamedAction } from './staff.js';

/** Actions of moderators, with both reasons. */
export function ActionList({ rows }: { rows: NamedAction[] }) {
  const texts = useTexts().moderation;
  if (rows.length === 0) return <p class="soft">{texts.noActions}</p>;
  return (
    <ul class="rows">
      {rows.map((row) => (
        <ActionItem key={row.id} {...row} />
      ))}
    </ul>
  );
}

export function ActionItem({ kind, targetKind, actor, actorRole, owner, ownerId, ...row }: NamedAction) {
  const texts = useTexts();
  const { publicReason, privateNote, detail, until, createdAt, caseId } = row;
  return (
    <li>
      <div>
        <p>
          <strong>{texts.account.actionOn(kind, targetKind)}</strong>{' '}
          {owner !== null && (
            <a href={`/moderation/accounts/${ownerId}`} dir="auto">
              {owner}
            </a>
          )}
        </p>
        {publicReason !== '' && <blockquote dir="auto">{publicReason}</blockquote>}
        {privateNote !== '' && (
          <p class="small" dir="auto">
            {texts.moderation.noteIs(privateNote)}
          </p>
        )}
        <p class="small soft">
          <Moment at={createdAt} /> · <bdi>{actor ?? actorRole}</bdi>
          {detail !== null && ` · ${detail}`}
          {until !== null && (
            <>
              {' '}
              · {texts.account.until} <Moment at={until} />
            </>
          )}
          {caseId !== null && (
            <>
              {' '}
              · <a href={`/moderation/cases/${caseId}`}>{texts.moderation.case}</a>
            </>
          )}
        </p>
      </div>
    </li>
  );
}
