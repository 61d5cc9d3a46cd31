import { type MongoClient, MongoNetworkTimeoutError } from 'mongodb';

/** A transaction waits this much longer than its deadline for a last response. */
const LAST_ANSWER_MS = 500;
/** By then the driver has failed every command in flight on the connections that it closed. */
const FAILED_WITHIN_MS = 1_000;

/**
 * Bounds the wait for the driver. A command sent on a closing connection never completes or fails, because the driver waits for
 * `drain` of a closed socket. ConnectionWatch ends a process that has such a command.
 */
export class BoundedAnswers {
  private readonly giveUps = new Set<(reason: string) => void>();

  constructor(client: MongoClient) {
    client.on('connectionPoolCleared', () => {
      const before = [...this.giveUps];
      const fail = (): void => before.forEach((giveUp) => giveUp('its connection was given up'));
      setTimeout(fail, FAILED_WITHIN_MS).unref();
    });
  }

  /** @throws MongoNetworkTimeoutError a second after connections were closed, or half a second after the deadline; `work` continues */
  async wait<T>(work: Promise<T>, deadline: number): Promise<T> {
    let giveUp: (reason: string) => void = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      giveUp = (reason) => reject(new MongoNetworkTimeoutError(`No answer: ${reason}`));
    });
    const leftMs = Math.max(0, deadline - performance.now());
    const timer = setTimeout(() => giveUp('the time of the transaction is over'), leftMs + LAST_ANSWER_MS);
    this.giveUps.add(giveUp);
    try {
      return await Promise.race([work, late]);
    } finally {
      clearTimeout(timer);
      this.giveUps.delete(giveUp);
    }
  }
}
