import type { BusLink } from './bus.js';

/** Longer than any commit that goes well: after it, going on without the turn is better than waiting. */
const PATIENCE_MS = 1_000;

type Held = { isMine: boolean; isInUse: boolean; isWanted: boolean; waiting: (() => void)[]; isAsked: boolean };

/**
 * Turns among the processes of this host: work that would only collide when two processes did it at once takes turns instead
 * (group commits on the same rows; with two workers that saved a third of a vote's cost). A turn stays with the process that had
 * it last until another asks, so a process that works alone sends no messages. It is a courtesy, not a lock: who waits too long
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
        if (turn.waiting.length > 0) {
          // at once, not when the promise has told: the next message may be there already, and ask for the turn
          turn.isInUse = true;
          turn.waiting.shift()!();
        } else if (turn.isWanted) this.handBack(message.name, turn);
      } else {
        turn.isWanted = true;
        if (!turn.isInUse && turn.waiting.length === 0) this.handBack(message.name, turn);
      }
    });
  }

  /** Resolves when it is this process's turn; call what it resolves with when the work is done. One caller per name at a time. */
  async take(name: string): Promise<() => void> {
    if (this.link === undefined) return () => undefined;
    const turn = this.turn(name);
    if (!turn.isMine) {
      if (!turn.isAsked) {
        turn.isAsked = true;
        this.link.send({ type: 'turn', name, action: 'ask' });
      }
      await this.granted(turn);
    }
    turn.isInUse = true;
    return () => {
      turn.isInUse = false;
      if (turn.isMine && turn.isWanted) this.handBack(name, turn);
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

  private handBack(name: string, turn: Held): void {
    turn.isMine = false;
    turn.isWanted = false;
    this.link?.send({ type: 'turn', name, action: 'give' });
  }

  private turn(name: string): Held {
    let turn = this.turns.get(name);
    if (turn === undefined) {
      this.turns.set(name, (turn = { isMine: false, isInUse: false, isWanted: false, waiting: [], isAsked: false }));
    }
    return turn;
  }
}
