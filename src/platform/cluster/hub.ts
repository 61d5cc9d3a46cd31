import { within } from '../../common/within.js';
import type { HubMember, ToPrimary } from './messages.js';

type Round = { remaining: Set<HubMember>; answers: unknown[]; failed: number; finish: () => void };

/** The primary's half of the bus: passes publications on and collects answers. */
export class ClusterHub {
  private readonly members = new Set<HubMember>();
  private readonly responders = new Map<string, (payload: unknown) => unknown>();
  private readonly rounds = new Map<number, Round>();
  private nextRound = 0;

  join(member: HubMember): void {
    this.members.add(member);
  }

  leave(member: HubMember): void {
    this.members.delete(member);
    for (const round of this.rounds.values()) {
      // its answer is not missing: the process is gone, and whatever it held with it
      if (round.remaining.delete(member) && round.remaining.size === 0) round.finish();
    }
  }

  /** The primary's own answer to a topic. */
  answer(topic: string, respond: (payload: unknown) => unknown): void {
    this.responders.set(topic, respond);
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
        return void this.gather(sender, message);
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
        return;
    }
  }

  private async gather(asker: HubMember, request: ToPrimary & { type: 'gather' }): Promise<void> {
    const { topic, payload, timeoutMs } = request;
    const id = ++this.nextRound;
    const round: Round = { remaining: new Set(this.members), answers: [], failed: 0, finish: () => {} };
    const finished = new Promise<void>((resolve) => (round.finish = resolve));
    this.rounds.set(id, round);
    for (const member of this.members) member.send({ type: 'ask', id, topic, payload });
    if (round.remaining.size === 0) round.finish();
    await within(timeoutMs, finished);
    this.rounds.delete(id);
    const own: unknown = await Promise.resolve(this.responders.get(topic)?.(payload)).catch(() => undefined);
    const answers = own === undefined ? round.answers : [...round.answers, own];
    const missing = round.remaining.size + round.failed;
    if (this.members.has(asker)) asker.send({ type: 'gathered', id: request.id, answers, missing });
  }
}
