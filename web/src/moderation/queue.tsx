import { Rows, useRows } from '../account/rows.js';
import { nameOf, withQuery, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { Choices } from '../components/pager.js';
import { Moment } from '../components/time.js';

type Case = Schemas['ReportCase'];
const STATES = ['open', 'closed'] as const;
const SORTS = ['weight', 'oldest'] as const;
const KINDS = ['post', 'comment', 'collection', 'note', 'profile', 'media', 'user'] as const;

/** Cases by weight or age. */
export function Queue({ query }: { query: URLSearchParams }) {
  const texts = useTexts().moderation;
  const state = STATES.find((one) => one === query.get('state')) ?? 'open';
  const sort = SORTS.find((one) => one === query.get('sort')) ?? 'weight';
  const kind = KINDS.find((one) => one === query.get('kind'));
  const list = useRows((cursor) => {
    const filter = { state, sort, ...(kind && { kind }), ...cursor };
    return unwrap(api.GET('/v1/moderation/cases', { params: { query: filter } }));
  });
  const choice = (change: Record<string, string | undefined>, label: string, isCurrent: boolean) => {
    const { state: one, sort: order, kind: of } = { state, sort, kind, ...change };
    const rest = { state: one === 'open' ? '' : one, sort: order === 'weight' ? '' : order, kind: of };
    return { href: withQuery('/moderation', rest), label, isCurrent };
  };
  return (
    <>
      <Choices
        label={texts.state}
        choices={[
          ...STATES.map((one) => choice({ state: one }, texts.states[one], one === state)),
          ...SORTS.map((one) => choice({ sort: one }, texts.sorts[one], one === sort)),
        ]}
      />
      <Choices
        label={texts.kind}
        choices={[undefined, ...KINDS].map((one) =>
          choice({ kind: one }, one === undefined ? texts.allKinds : texts.kinds[one], one === kind),
        )}
      />
      <Rows list={list} empty={texts.noCases}>
        {(row) => <Item key={row.id} {...row} />}
      </Rows>
    </>
  );
}

function Item({ id, title, targetKind, reasons, reportsCount, firstAt, owner, content, claim, outcome }: Case) {
  const texts = useTexts().moderation;
  return (
    <li>
      <div class="case-row">
        <p class="meta">
          <span class="kind">{texts.kinds[targetKind]}</span>
          <span>{reasons.map(({ reason, count }) => `${texts.reasons[reason]} ${count}`).join(', ')}</span>
        </p>
        <h2 dir="auto">
          <a href={`/moderation/cases/${id}`}>{title || texts.untitled}</a>
        </h2>
        {content !== null && content.excerpt !== '' && (
          <p class="preview" dir="auto">
            {content.excerpt}
          </p>
        )}
        <p class="small soft">
          {owner !== null && <bdi>{nameOf(owner)} · </bdi>}
          {texts.reportsCount(reportsCount)} <Moment at={firstAt} />
          {outcome !== null && ` · ${texts.outcomes[outcome]}`}
          {claim !== null && ` · ${texts.claimedBy(claim.moderator === null ? '–' : nameOf(claim.moderator))}`}
        </p>
      </div>
    </li>
  );
}
