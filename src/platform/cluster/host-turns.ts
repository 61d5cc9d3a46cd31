import type { BusLink } from './bus.js';

/** Longer than any commit that goes well: after it, going on without the turn is better than waiting. */
const PATIENCE_MS = 1_000;

type Held = {
  isMine: boolean;
  isInUse: boolean;
  /** somebody else waits for it */
  isWanted: boolean;
  /** this process waits for it, as far as the primary knows */
  isAsked: boolean;
  /** the primary knows "give and ask" */
  canGiveAndAsk: boolean;
  waiting: (() => void)[];
};

/**
 * Turns among the processes of this host: work that would only collide when two processes did it at once takes turns instead
 * (group commits on the same rows; with two workers that saved a third of a vote's cost). A turn stays with the process that had
 * it last until another asks, so a process that works alone sends no messages. Among processes that all have work a turn costs
 * each of them two: "granted, and others wait", and what gives it back. It is a courtesy, not a lock: who waits too long
 * goes on, and correctness never depends on it.
 */
export class HostTurns {
  private readonly turns = new Map<string, Held>();

  /**
   * @param link none: this process is alone, and every turn is its own
   * @param seat the number of this process among those of the host, for work of which some processes share a turn
   */
  constructor(
    private readonly link?: BusLink,
    readonly seat = 0,
  ) {
    link?.receive((message) => {
      if (message.type !== 'turn') return;
      const turn = this.turn(message.name);
      if (message.state === 'granted') {
        turn.isAsked = false;
        turn.isMine = true;
        turn.isWanted = message.isWanted === true;
        turn.canGiveAndAsk = message.isWanted !== undefined;
        // at once, not when the promise has told: the next message may be there already, and ask for the turn
        turn.isInUse ||= turn.waiting.length > 0;
        turn.waiting.shift()?.();
      } else turn.isWanted = true;
      if (!turn.isInUse && turn.isWanted) this.handBack(message.name, turn, 'give');
    });
  }

  /**
   * Resolves when it is this process's turn; call what it resolves with when the work is done. One caller per name at a time.
   * @param keepsPlace who had to wait for this turn waits for the next from the moment it gives this one back: for work that has
   * most likely come together again by then. A turn that comes before the work goes on to the others.
   */
  async take(name: string, { keepsPlace = false } = {}): Promise<() => void> {
    if (this.link === undefined) return () => undefined;
    const turn = this.turn(name);
    const hasToWait = !turn.isMine;
    if (hasToWait) {
      if (!turn.isAsked) {
        turn.isAsked = true;
        this.link.send({ type: 'turn', name, action: 'ask' });
      }
      await this.granted(turn);
    }
    turn.isInUse = true;
    return () => {
      turn.isInUse = false;
      if (!turn.isMine || !turn.isWanted) return;
      this.handBack(name, turn, keepsPlace && hasToWait && turn.canGiveAndAsk ? 'give and ask' : 'give');
    };
  }

  private granted(turn: Held): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        turn.waiting = turn.waiting.filter((waiting) => waiting !== go);
        resolve();
      }, PATIENCE_MS);
      turn.waiting.push(go);
    });
  }

  private handBack(name: string, turn: Held, action: 'give' | 'give and ask'): void {
    turn.isMine = false;
    turn.isWanted = false;
    turn.isAsked = action === 'give and ask';
    this.link?.send({ type: 'turn', name, action });
  }

  private turn(name: string): Held {
    let turn = this.turns.get(name);
    if (turn === undefined) {
      const nothing = { isMine: false, isInUse: false, isWanted: false, isAsked: false, canGiveAndAsk: false };
      this.turns.set(name, (turn = { ...nothing, waiting: [] }));
    }
    return turn;
  }
}
