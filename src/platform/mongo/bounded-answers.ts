import { type MongoClient, MongoNetworkTimeoutError } from 'mongodb';

/** Beyond its deadline, a transaction waits so long for one more answer. */
const LAST_ANSWER_MS = 500;
/** By then the driver has failed every command that it had under way when it gave up the connections to a server. */
const FAILED_WITHIN_MS = 1_000;

/**
 * Waits for the driver that have an end. A command that is sent while its connection is being closed is never answered, nor does it
 * fail: the driver waits for `drain` of a socket that is gone. ConnectionWatch ends a process that holds one.
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

  /** @throws MongoNetworkTimeoutError a second after connections were given up, or half a second after the deadline; `work` continues */
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
