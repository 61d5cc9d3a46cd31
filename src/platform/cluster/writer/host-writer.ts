import type { BeforeApplicationShutdown } from '@nestjs/common';
import type { IsDisconnected } from '../../../common/client-disconnected.js';
import { endWith } from '../../../common/tracing.js';
import { GroupCommit, type GroupCommitOptions } from '../../../common/group-commit.js';
import type { ProcessRole } from '../process-role.js';
import { WriterClient } from './writer-client.js';
import type { Json } from './writer-protocol.js';
import { WriterServer } from './writer-server.js';

/** Commits one item in the writer process of the host. Resolves to the result of the item. */
export type Submit<Item, Result> = (item: Item, isDisconnected?: IsDisconnected) => Promise<Result>;

const neverDisconnected: IsDisconnected = () => false;

/**
 * Commits the writes of a host in its writer process, or in this process if it runs alone. A batch costs about the same for any number of
 * items, and two writing processes would cause write conflicts on popular posts.
 */
export class HostWriter implements BeforeApplicationShutdown {
  private readonly client: WriterClient | undefined;
  private readonly server = new WriterServer();
  private readonly closing: (() => Promise<void>)[] = [];

  /** @param socket the path of the writer's socket; undefined if this process runs alone */
  constructor(
    role: ProcessRole,
    private readonly socket: string | undefined,
  ) {
    if (role === 'web' && socket !== undefined) this.client = new WriterClient(socket);
  }

  /**
   * Registers a group commit that all processes of the host share. Each caller gets the result of its own item.
   * @throws the errors of GroupCommit.submit; `shutting_down` also when the writer exits before it responds
   */
  group<Item extends Json, Result extends Json>(options: GroupCommitOptions<Item, Result>): Submit<Item, Result> {
    const { client } = this;
    if (client !== undefined)
      return (item, isDisconnected = neverDisconnected) => {
        const span = isDisconnected.span?.child(`write ${options.name}`);
        const result = client.submit(options.name, item, isDisconnected, span?.traceparent) as Promise<Result>;
        return timed(endWith(span, result), isDisconnected);
      };
    const group = new GroupCommit<Item, Result>(options);
    this.closing.push(() => group.close());
    this.server.add(options.name, (item, waitedMs, traceparent) =>
      group.submit(item as Item, { waitedMs, traceparent }),
    );
    return (item, isDisconnected = neverDisconnected) =>
      timed(group.submit(item, { isDisconnected, traceparent: isDisconnected.span?.traceparent }), isDisconnected);
  }

  /** Accepts items from the other processes. Called in the writer process. */
  async listen(): Promise<void> {
    if (this.socket !== undefined) await this.server.listen(this.socket);
  }

  /** Resolves when every process has its results and is connected to the next writer. */
  async drain(deadlineMs: number): Promise<void> {
    await this.server.drain(deadlineMs);
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.client?.close();
    await Promise.all(this.closing.map((close) => close()));
    this.server.close();
  }
}

/** Records how long the result of a write takes. */
function timed<Result>(result: Promise<Result>, { recordCommit }: IsDisconnected): Promise<Result> {
  if (recordCommit === undefined) return result;
  const since = performance.now();
  return result.finally(() => recordCommit(performance.now() - since));
}
