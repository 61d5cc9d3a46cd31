import type { HubMember } from './messages.js';

type Turn = { holder: HubMember; waiting: HubMember[]; isRecalled: boolean };

/** The primary's half of the turns: who holds which, and who waits. A turn stays where it is until somebody else asks for it. */
export class TurnTable {
  private readonly turns = new Map<string, Turn>();

  ask(name: string, member: HubMember): void {
    const turn = this.turns.get(name);
    if (turn === undefined) {
      this.turns.set(name, { holder: member, waiting: [], isRecalled: false });
      member.send({ type: 'turn', name, state: 'granted', isWanted: false });
      return;
    }
    turn.waiting.push(member);
    this.recall(name, turn);
  }

  give(name: string, member: HubMember): void {
    const turn = this.turns.get(name);
    if (turn?.holder === member) this.pass(name, turn);
  }

  /** It waits behind everybody who waits already before the turn goes on, so that who gets it is told in the same message. */
  giveAndAsk(name: string, member: HubMember): void {
    const turn = this.turns.get(name);
    if (turn?.holder !== member) return this.ask(name, member);
    turn.waiting.push(member);
    this.pass(name, turn);
  }

  /** A process that is gone holds nothing and waits for nothing. */
  leave(member: HubMember): void {
    for (const [name, turn] of this.turns) {
      turn.waiting = turn.waiting.filter((waiting) => waiting !== member);
      if (turn.holder === member) this.pass(name, turn);
    }
  }

  private pass(name: string, turn: Turn): void {
    const next = turn.waiting.shift();
    if (next === undefined) {
      this.turns.delete(name);
      return;
    }
    turn.holder = next;
    // who is told here need not be told again
    turn.isRecalled = turn.waiting.length > 0;
    next.send({ type: 'turn', name, state: 'granted', isWanted: turn.isRecalled });
  }

  private recall(name: string, turn: Turn): void {
    if (turn.isRecalled) return;
    turn.isRecalled = true;
    turn.holder.send({ type: 'turn', name, state: 'wanted' });
  }
}
