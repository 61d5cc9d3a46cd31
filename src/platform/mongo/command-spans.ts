import type { Binary, ClientSession, CommandStartedEvent, MongoClient } from 'mongodb';
import type { Span } from '../../common/tracing.js';

/** The spans of traced transactions, by the id of their session. */
const parents = new Map<string, Span>();
/** the spans of running commands, by the driver's id */
const running = new Map<number, Span>();

/** Adds spans for the commands of a session, until it ends. */
export function traceSession(session: ClientSession, span: Span): void {
  const id = idOf(session.id);
  parents.set(id, span);
  session.once('ended', () => parents.delete(id));
}

/** The driver reports all commands of a transaction, also its commit, and those of mongoose. */
export function traceCommands(client: MongoClient): void {
  const end = (requestId: number, error?: unknown): void => {
    if (running.size === 0) return;
    running.get(requestId)?.end(error);
    running.delete(requestId);
  };
  client
    .on('commandStarted', (event) => start(event))
    .on('commandSucceeded', ({ requestId }) => end(requestId))
    .on('commandFailed', ({ requestId, failure }) => end(requestId, failure));
}

function start({ requestId, commandName: name, command }: CommandStartedEvent): void {
  if (parents.size === 0 || command['lsid'] === undefined) return;
  const parent = parents.get(idOf(command['lsid'] as { id: Binary }));
  if (parent === undefined) return;
  const collection: unknown = command[name];
  const attributes = { 'db.system.name': 'mongodb', 'db.operation.name': name };
  const isOfCollection = typeof collection === 'string';
  running.set(
    requestId,
    isOfCollection
      ? parent.child(`${name} ${collection}`, { attributes: { ...attributes, 'db.collection.name': collection } })
      : parent.child(name, { attributes }),
  );
}

function idOf(session: { id: Binary } | undefined): string {
  return session?.id.toString('hex') ?? '';
}
