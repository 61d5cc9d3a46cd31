import { useState } from 'preact/hooks';
import { Done } from '../account/account-page.js';
import { SelectField, RequestForm, TextField } from '../account/request-form.js';
import { Rows, useRows } from '../account/rows.js';
import { nameOf, withQuery, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Choices } from '../components/pager.js';
import { Moment } from '../components/time.js';
import { ActionItem } from './action-list.js';
import { type NamedAction, useStaff, withNames } from './staff.js';

type Appeal = Omit<Schemas['Appeal'], 'action'> & { id: string; action: NamedAction };
const STATES = ['open', 'accepted', 'rejected'] as const;

/** Appeals, oldest first. */
export function Appeals({ query }: { query: URLSearchParams }) {
  const texts = useTexts().moderation;
  const state = STATES.find((one) => one === query.get('state')) ?? 'open';
  const list = useRows(async (cursor) => {
    const found = await unwrap(api.GET('/v1/moderation/appeals', { params: { query: { state, ...cursor } } }));
    const actions = await withNames(found.data.map(({ action }) => action));
    return {
      ...found,
      data: found.data.map((row, at): Appeal => ({ ...row, id: row.action.id, action: actions[at]! })),
    };
  });
  const choices = STATES.map((one) => {
    const href = withQuery('/moderation/appeals', { state: one === 'open' ? '' : one });
    return { href, label: texts.appealStates[one], isCurrent: one === state };
  });
  return (
    <>
      <Choices label={texts.state} choices={choices} />
      <Rows list={list} empty={texts.noAppeals}>
        {(row) => <Item key={row.id} {...row} />}
      </Rows>
    </>
  );
}

function Item({ id, state, account, content, text, createdAt, action, reason, moderator, decidedAt }: Appeal) {
  const texts = useTexts().moderation;
  return (
    <li>
      <div>
        <h2>{account === null ? '–' : <bdi>{nameOf(account)}</bdi>}</h2>
        <blockquote dir="auto">{text}</blockquote>
        <p class="small soft">
          <Moment at={createdAt} />
        </p>
        <h3>{texts.appealed}</h3>
        {content !== null && (
          <p dir="auto">
            <strong>{content.title}</strong> {content.excerpt}
          </p>
        )}
        <ul class="rows">
          <ActionItem {...action} />
        </ul>
        {decidedAt !== null && (
          <p dir="auto">
            {reason} <Moment at={decidedAt} /> {moderator !== null && <bdi>{nameOf(moderator)}</bdi>}
          </p>
        )}
        {state === 'open' && <Answer id={id} />}
      </div>
    </li>
  );
}

function Answer({ id }: { id: string }) {
  const texts = useTexts().moderation;
  const { recount } = useStaff();
  const [isDecided, setDecided] = useState(false);
  if (isDecided) return <Done>{texts.decided}</Done>;
  return (
    <RequestForm
      action={texts.decide}
      confirm={texts.confirmAppeal}
      send={({ answer, publicReason = '' }) =>
        api.POST('/v1/moderation/appeals/{actionId}/decision', {
          params: { path: { actionId: id } },
          body: { isAccepted: answer === 'accept', publicReason },
        })
      }
      done={() => {
        setDecided(true);
        recount();
      }}
    >
      <SelectField name="answer" label={texts.decision} options={texts.answers} />
      <TextField name="publicReason" label={texts.publicReason} maxLength={500} rows={3} />
    </RequestForm>
  );
}
