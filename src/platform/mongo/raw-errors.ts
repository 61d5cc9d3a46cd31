import { BSON, type CommandFailedEvent, type MongoClient } from 'mongodb';

/**
 * The driver reads the reply of a command that asked for raw BSON as raw BSON, also when it is an error: the `topologyVersion` of a
 * "not primary" stays a piece of the buffer. The driver keeps it as the state of that server and compares the next error with it,
 * whoever asked: a TypeError, and a 500, for everybody at a step-down. This event comes before the driver looks at the error itself.
 */
export function mendRawErrors(client: MongoClient): void {
  client.on('commandFailed', ({ failure }: CommandFailedEvent) => {
    const error = failure as Error & { topologyVersion?: unknown };
    if (error.topologyVersion instanceof Uint8Array) error.topologyVersion = BSON.deserialize(error.topologyVersion);
  });
}
