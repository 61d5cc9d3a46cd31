import type { FromPrimary, HubMember, ToPrimary } from './messages.js';

type Lead = { member: HubMember; followers: Set<HubMember> };
type Delegated = { from: HubMember; id: number; lead: HubMember };

/**
 * The primary's half of the host's batches: which process leads which, and whose items are with a lead. The first that asks leads,
 * until it resigns or ends.
 */
export class LeadTable {
  private readonly leads = new Map<string, Lead>();
  private readonly underway = new Map<number, Delegated>();
  private lastId = 0;

  ask(name: string, member: HubMember): void {
    const lead = this.leads.get(name) ?? { member, followers: new Set() };
    this.leads.set(name, lead);
    if (lead.member !== member) lead.followers.add(member);
    member.send({ type: 'lead', name, state: lead.member === member ? 'yours' : 'another' });
  }

  /** What it was given before is answered already, and what comes later it refuses. */
  resign(name: string, member: HubMember): void {
    if (this.leads.get(name)?.member === member) this.end(name);
  }

  delegate(from: HubMember, { name, id, until, items }: ToPrimary & { type: 'delegate' }): void {
    const lead = this.leads.get(name)?.member;
    if (lead === undefined || lead === from) return from.send({ type: 'delegated', id, results: null });
    this.underway.set(++this.lastId, { from, id, lead });
    lead.send({ type: 'delegate', name, id: this.lastId, until, items });
  }

  delegated(id: number, results: Extract<FromPrimary, { type: 'delegated' }>['results']): void {
    const asked = this.underway.get(id);
    this.underway.delete(id);
    asked?.from.send({ type: 'delegated', id: asked.id, results });
  }

  /** Whoever gave it items gets them back, and has to find out what became of them. */
  leave(member: HubMember): void {
    for (const [id, { from, lead }] of this.underway) {
      if (lead === member) this.delegated(id, null);
      else if (from === member) this.underway.delete(id);
    }
    for (const [name, lead] of this.leads) {
      lead.followers.delete(member);
      if (lead.member === member) this.end(name);
    }
  }

  private end(name: string): void {
    const followers = this.leads.get(name)!.followers;
    this.leads.delete(name);
    for (const follower of followers) follower.send({ type: 'lead', name, state: 'gone' });
  }
}
