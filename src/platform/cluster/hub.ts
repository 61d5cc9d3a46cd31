import { within } from '../../common/within.js';
import type { HubMember, ToPrimary } from './ipc.js';

type Round = { remaining: Set<HubMember>; answers: unknown[]; failed: number; finish: () => void };

/** The primary's half of the bus: forwards publications and collects responses. */
export class ClusterHub {
  private readonly members = new Set<HubMember>();
  private readonly served = new Map<string, () => Promise<unknown>>();
  private readonly rounds = new Map<number, Round>();
  private nextRound = 0;

  join(member: HubMember): void {
    this.members.add(member);
  }

  leave(member: HubMember): void {
    this.members.delete(member);
    for (const round of this.rounds.values()) {
      // the process has exited with its state, so its response does not count as missing
      if (round.remaining.delete(member) && round.remaining.size === 0) round.finish();
    }
  }

  /** Registers the handler of a topic that the primary serves for all processes. */
  serve(topic: string, answer: () => Promise<unknown>): void {
    this.served.set(topic, answer);
  }

  hear(sender: HubMember, message: ToPrimary): void {
    switch (message.type) {
      case 'publish': {
        const { from, sequence, channel, message: content } = message;
        for (const member of this.members) {
          if (member !== sender) member.send({ type: 'deliver', from, sequence, channel, message: content });
        }
        return;
      }
      case 'gather':
        return void this.answerGather(sender, message);
      case 'answer': {
        const round = this.rounds.get(message.id);
        if (round === undefined || !round.remaining.delete(sender)) return;
        if (message.error !== undefined) round.failed++;
        else if (message.value !== undefined && message.value !== null) round.answers.push(message.value);
        if (round.remaining.size === 0) round.finish();
        return;
      }
      case 'ready':
      case 'alive':
      case 'refused':
      case 'metrics':
        return;
    }
  }

  /** Requests a response from every process. */
  async gather(topic: string, payload: unknown, timeoutMs: number): Promise<{ answers: unknown[]; missing: number }> {
    const id = ++this.nextRound;
    const round: Round = { remaining: new Set(this.members), answers: [], failed: 0, finish: () => {} };
    const finished = new Promise<void>((resolve) => (round.finish = resolve));
    this.rounds.set(id, round);
    for (const member of this.members) member.send({ type: 'ask', id, topic, payload });
    if (round.remaining.size === 0) round.finish();
    await within(timeoutMs, finished);
    this.rounds.delete(id);
    return { answers: round.answers, missing: round.remaining.size + round.failed };
  }

  private async answerGather(asker: HubMember, request: ToPrimary & { type: 'gather' }): Promise<void> {
    const { id, topic, payload, timeoutMs } = request;
    const serve = this.served.get(topic);
    const gathered =
      serve === undefined ? await this.gather(topic, payload, timeoutMs) : { answers: [await serve()], missing: 0 };
    if (this.members.has(asker)) asker.send({ type: 'gathered', id, ...gathered });
  }
}
