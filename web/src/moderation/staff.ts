import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { nameOf, type Schemas } from '../api.js';
import { api, unwrap } from '../client.js';

export type LoggedAction = Schemas['ModerationAction'];
export type NamedAction = LoggedAction & { actor: string | null; owner: string | null };

/** The moderator, and a way to count again what waits. */
export type Staff = { me: Schemas['ViewerAccount']; recount: () => void };
export const StaffContext = createContext<Staff>(undefined!);
export const useStaff = (): Staff => useContext(StaffContext);

/** Returns the names of accounts by id. */
export async function namesOf(ids: (string | null)[]): Promise<Map<string, string>> {
  const known = [...new Set(ids.filter((id) => id !== null))];
  if (known.length === 0) return new Map();
  const { data } = await unwrap(api.GET('/v1/users', { params: { query: { ids: known } } }));
  return new Map(data.map((user) => [user.id, nameOf(user)]));
}

/** Adds the names of accounts to actions, by one request. A deleted account has none. */
export async function withNames(actions: LoggedAction[]): Promise<NamedAction[]> {
  const names = await namesOf(actions.flatMap(({ actorId, ownerId }) => [actorId, ownerId]));
  const name = (id: string | null): string | null => names.get(id ?? '') ?? null;
  return actions.map((action) => ({ ...action, actor: name(action.actorId), owner: name(action.ownerId) }));
}
