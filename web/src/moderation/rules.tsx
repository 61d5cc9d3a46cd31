import { useState } from 'preact/hooks';
import { Action } from '../account/action.js';
import { Done } from '../account/account-page.js';
import { CheckField, CheckFields, Field, RequestForm, SelectField } from '../account/request-form.js';
import { type List, Rows, useRows } from '../account/rows.js';
import { useLoaded } from '../account/use-loaded.js';
import type { Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Moment } from '../components/time.js';
import { namesOf } from './staff.js';

type Rule = Schemas['ContentRule'];
const SCOPES = ['post', 'comment', 'profile', 'collection', 'email'] as const;

/** Rules for texts, latest first, and a form for another one. */
export function Rules() {
  const texts = useTexts().moderation;
  const list = useRows((cursor) => unwrap(api.GET('/v1/moderation/rules', { params: { query: cursor } })));
  return (
    <>
      <NewRule list={list} />
      <Rows list={list} empty={texts.noRules}>
        {(row) => <Item key={row.id} rule={row} list={list} />}
      </Rows>
    </>
  );
}

function NewRule({ list }: { list: List<Rule> }) {
  const texts = useTexts().moderation;
  const [count, setCount] = useState(0);
  const send = (values: Record<string, string>) => {
    const body = {
      kind: values['kind'] as Rule['kind'],
      value: values['value'] ?? '',
      action: values['action'] as Rule['action'],
      scope: SCOPES.filter((name) => `scope-${name}` in values),
      isDryRun: 'isDryRun' in values,
    };
    return api.POST('/v1/moderation/rules', { body });
  };
  return (
    <details>
      <summary>{texts.newRule}</summary>
      <div>
        {count > 0 && <Done key={count}>{texts.created}</Done>}
        <RequestForm
          key={count}
          action={texts.create}
          send={send}
          done={(rule) => {
            setCount(count + 1);
            list.add(rule!);
          }}
        >
          <SelectField name="kind" label={texts.kind} options={texts.ruleKinds} />
          <Field name="value" label={texts.value} maxLength={200} />
          <SelectField name="action" label={texts.ruleAction} options={texts.ruleActions} />
          <CheckFields legend={texts.scope} prefix="scope-" names={SCOPES} labels={texts.scopes} checked={['post']} />
          <CheckField name="isDryRun" label={texts.dryRunHint} isChecked isOptional />
        </RequestForm>
      </div>
    </details>
  );
}

function Item({ rule, list }: { rule: Rule; list: List<Rule> }) {
  const texts = useTexts().moderation;
  const [isOpen, setOpen] = useState(false);
  const { id, kind, value, action, scope, isDryRun, updatedAt } = rule;
  const params = { path: { id } };
  return (
    <li>
      <div>
        <h2 dir="auto">{value}</h2>
        <p class="small soft">
          {isDryRun && <strong>{texts.dryRun} · </strong>}
          {texts.ruleKinds[kind]} · {texts.ruleActions[action]} · {scope.map((one) => texts.scopes[one]).join(', ')} ·{' '}
          <Moment at={updatedAt} />
        </p>
        <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>{texts.hits}</summary>
          {isOpen && <Hits id={id} />}
        </details>
      </div>
      <div class="actions">
        <Action
          label={isDryRun ? texts.apply : texts.toDryRun}
          confirm={isDryRun ? texts.confirmApply(value) : undefined}
          send={() => api.PATCH('/v1/moderation/rules/{id}', { params, body: { isDryRun: !isDryRun } })}
          done={(changed) => list.replace(changed!)}
        />
        <Action
          label={texts.remove}
          confirm={texts.confirmRemoval(value)}
          send={() => api.DELETE('/v1/moderation/rules/{id}', { params })}
          done={() => list.remove(id)}
        />
      </div>
    </li>
  );
}

/** The latest texts that a rule matched. */
function Hits({ id }: { id: string }) {
  const texts = useTexts().moderation;
  const { data, wait } = useLoaded(async () => {
    const { data: hits } = await unwrap(api.GET('/v1/moderation/rules/{id}/hits', { params: { path: { id } } }));
    return { hits, names: await namesOf(hits.map(({ userId }) => userId)) };
  });
  if (data === undefined) return wait;
  if (data.hits.length === 0) return <p class="soft">{texts.noHits}</p>;
  return (
    <ul class="rows">
      {data.hits.map(({ targetKind, userId, at }, index) => (
        <li key={index}>
          <span>
            {texts.kinds[targetKind]} ·{' '}
            <a href={`/moderation/accounts/${userId}`} dir="auto">
              {data.names.get(userId) ?? '–'}
            </a>
          </span>
          <Moment at={at} />
        </li>
      ))}
    </ul>
  );
}
