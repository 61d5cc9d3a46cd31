import { Rows, useRows } from '../account/rows.js';
import { api, unwrap } from '../client.js';
import { useTexts } from '../components/context.js';
import { ActionItem } from './action-list.js';
import { withNames } from './staff.js';

/** What moderators, admins and operators did, latest first. */
export function Log({ targetId }: { targetId?: string }) {
  const filter = targetId === undefined ? {} : { targetId };
  const list = useRows(async (cursor) => {
    const found = await unwrap(api.GET('/v1/admin/log', { params: { query: { ...filter, ...cursor } } }));
    return { ...found, data: await withNames(found.data) };
  });
  return (
    <Rows list={list} empty={useTexts().moderation.noActions}>
      {(row) => <ActionItem key={row.id} {...row} />}
    </Rows>
  );
}
