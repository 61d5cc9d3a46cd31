import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { go } from '../account/address.js';
import { Action } from '../account/action.js';
import { Done } from '../account/account-page.js';
import { useLoaded } from '../account/use-loaded.js';
import { type Author, nameOf, postPath, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { Prose } from '../editor/prose.js';
import { ActionList } from './action-list.js';
import { DecisionForm } from './decision-form.js';
import { type NamedAction, useStaff, withNames } from './staff.js';

type Case = Schemas['ReportCaseDetails'];
type NamedCase = Omit<Case, 'actions' | 'ownerActions'> & { actions: NamedAction[]; ownerActions: NamedAction[] };

/** One case: the content, its history, and the decision. */
export function CasePage({ id }: { id: string }) {
  const texts = useTexts().moderation;
  const { recount } = useStaff();
  const [isDecided, setDecided] = useState(false);
  const { data, wait, reload } = useLoaded(() => load(id));
  if (data === undefined) return wait;
  const { state, targetKind, targetId, ownerId, actions, ownerActions, reports, reasons, otherCasesCount } = data;
  const done = (): void => {
    setDecided(true);
    reload();
    recount();
  };
  const form = (
    <DecisionForm
      target={{ kind: targetKind, id: targetId }}
      accountId={ownerId}
      caseId={state === 'open' ? id : undefined}
      reason={reasons[0]?.reason}
      done={done}
      changed={reload}
    />
  );
  return (
    <div class="case">
      <Content {...data} />
      <section class="decision" aria-label={texts.decision}>
        {isDecided && (
          <Done>
            <p>{texts.decided}</p>
          </Done>
        )}
        <State {...data} reload={reload} />
        {isDecided ? <Again key={actions.length}>{form}</Again> : form}
      </section>
      <section>
        <h2>{texts.reports}</h2>
        <ul class="rows">
          {reports.map((report, at) => (
            <Report key={at} {...report} />
          ))}
        </ul>
        <h2>{texts.actionsOnTarget}</h2>
        <ActionList rows={actions} />
        <h2>{texts.actionsOnOwner}</h2>
        <p class="small soft">{texts.otherCases(otherCasesCount)}</p>
        <ActionList rows={ownerActions.filter(({ targetId: on }) => on !== targetId)} />
      </section>
    </div>
  );
}

async function load(id: string): Promise<NamedCase> {
  const found = await unwrap(api.GET('/v1/moderation/cases/{id}', { params: { path: { id } } }));
  const named = await withNames([...found.actions, ...found.ownerActions]);
  const { length } = found.actions;
  return { ...found, actions: named.slice(0, length), ownerActions: named.slice(length) };
}

/** The claim of a case, or its end. */
function State({ id, state, claim, outcome, closedAt, note, reload }: NamedCase & { reload: () => void }) {
  const texts = useTexts().moderation;
  const { me } = useStaff();
  const params = { path: { id } };
  return (
    <>
      {closedAt !== null && (
        <p>
          <strong>{texts.closed(outcome === null ? '' : texts.outcomes[outcome])}</strong> <Moment at={closedAt} />
        </p>
      )}
      {note !== '' && <p dir="auto">{note}</p>}
      {claim !== null && (
        <p>
          {claim.moderatorId === me.id
            ? texts.claimedByMe
            : texts.claimedBy(claim.moderator ? nameOf(claim.moderator) : '–')}{' '}
          <Moment at={claim.until} />
        </p>
      )}
      <div class="actions">
        {state === 'open' && claim === null && (
          <Action
            label={texts.claim}
            send={() => api.PUT('/v1/moderation/cases/{id}/claim', { params })}
            done={reload}
          />
        )}
        {claim?.moderatorId === me.id && (
          <Action
            label={texts.release}
            send={() => api.DELETE('/v1/moderation/cases/{id}/claim', { params })}
            done={reload}
          />
        )}
        <Action
          label={texts.next}
          send={() => api.GET('/v1/moderation/cases', { params: { query: { limit: 100 } } })}
          done={(page) => go(pathAfter(id, page!.data, me.id))}
        />
      </div>
    </>
  );
}

/** Returns the path of the next open case that no other moderator has claimed, or of the list. */
function pathAfter(id: string, cases: Schemas['ReportCase'][], me: string): string {
  const free = cases.filter((one) => one.id === id || one.claim === null || one.claim.moderatorId === me);
  const next = free[free.findIndex((one) => one.id === id) + 1] ?? free[0];
  return next === undefined || next.id === id ? '/moderation' : `/moderation/cases/${next.id}`;
}

function Again({ children }: { children: ComponentChildren }) {
  return (
    <details>
      <summary>{useTexts().moderation.again}</summary>
      <div>{children}</div>
    </details>
  );
}

/** The content as its readers see it. */
function Content({ targetKind, current, reported, html, content, owner, firstAt, title }: NamedCase) {
  const texts = useTexts().moderation;
  const shown = current ?? reported;
  const hasChanged = current !== null && reported !== null && current.text !== reported.text;
  return (
    <article>
      <p class="meta">
        <span class="kind">{texts.kinds[targetKind]}</span>
        {owner !== null && <Account {...owner} />}
        <Moment at={firstAt} />
      </p>
      <h2 dir="auto">{shown?.title || title}</h2>
      {content?.post && (
        <p class="small">
          <a href={postPath(content.post)} dir="auto">
            {targetKind === 'post' ? texts.openPost : content.post.title}
          </a>
        </p>
      )}
      {current === null && <p class="small soft">{texts.deletedSince}</p>}
      {content?.imagePath ? (
        <Evidence path={content.imagePath} />
      ) : (
        shown?.imageUrl && <img src={shown.imageUrl} alt="" />
      )}
      {html === null ? <Plain text={shown?.text ?? ''} /> : <Prose html={html} type="small" />}
      {hasChanged && (
        <details>
          <summary>{texts.asReported}</summary>
          <Plain text={reported.text} />
        </details>
      )}
    </article>
  );
}

function Plain({ text }: { text: string }) {
  return (
    <p class="plain" dir="auto">
      {text}
    </p>
  );
}

export function Account(account: Author) {
  return (
    <a class="author" href={`/moderation/accounts/${account.id}`} dir="auto">
      {nameOf(account)}
    </a>
  );
}

/** A removed image, which only moderators can read. */
function Evidence({ path }: { path: string }) {
  const [src, setSrc] = useState<string>();
  const id = /media\/([0-9a-f]{24})\//.exec(path)?.[1] ?? '';
  useEffect(() => {
    let url: string | undefined;
    const load = async (): Promise<void> => {
      const params = { path: { id } };
      url = URL.createObjectURL(
        await unwrap(api.GET('/v1/moderation/media/{id}/content', { params, parseAs: 'blob' })),
      );
      setSrc(url);
    };
    load().catch(() => undefined);
    return () => url && URL.revokeObjectURL(url);
  }, [id]);
  return src === undefined ? null : <img src={src} alt="" />;
}

function Report({ reporter, reason, note, weight, createdAt, outcome }: Case['reports'][number]) {
  const texts = useTexts().moderation;
  return (
    <li>
      <div>
        <p>
          <strong>{texts.reasons[reason]}</strong> {reporter === null ? texts.noReporter : <Account {...reporter} />}
        </p>
        {note !== '' && <blockquote dir="auto">{note}</blockquote>}
        <p class="small soft">
          <Moment at={createdAt} /> · {texts.weight(weight)}
          {outcome !== null && ` · ${texts.outcomes[outcome]}`}
        </p>
      </div>
    </li>
  );
}
