import { ClusterBus, IpcRouter } from './bus.js';
import { ClusterMetrics } from './cluster-metrics.js';
import type { BusLink, FromPrimary, HubMember } from './ipc.js';

/** Connects a fake process directly to the router. */
function connect(hub: IpcRouter) {
  let receive: (message: FromPrimary) => void = () => {};
  const member: HubMember = { send: (message) => receive(structuredClone(message)) };
  const link: BusLink = { send: (message) => hub.receive(member, message), receive: (handler) => (receive = handler) };
  hub.join(member);
  const bus = new ClusterBus(link);
  const received: unknown[] = [];
  bus.subscribe('tags', (message) => received.push(message));
  return { bus, received, member };
}

describe('ClusterBus', () => {
  it('publishes to every other process, in order, and not to the sender', () => {
    const hub = new IpcRouter();
    const [one, two, three] = [connect(hub), connect(hub), connect(hub)];
    one.bus.publish('tags', ['feed']);
    one.bus.publish('tags', ['post:1']);
    expect(two.received).toEqual([['feed'], ['post:1']]);
    expect(three.received).toEqual(two.received);
    expect(one.received).toEqual([]);
  });

  it('ignores a repeated message, also a late one', () => {
    const hub = new IpcRouter();
    const { received, member } = connect(hub);
    const message = (sequence: number): FromPrimary => ({
      type: 'deliver',
      from: 'a',
      sequence,
      channel: 'tags',
      message: sequence,
    });
    for (const sequence of [1, 2, 2, 1, 3]) member.send(message(sequence));
    expect(received).toEqual([1, 2, 3]);
  });

  it('continues with the other subscribers when one fails', () => {
    const hub = new IpcRouter();
    const sender = connect(hub);
    let receive: (message: FromPrimary) => void = () => {};
    const member: HubMember = { send: (message) => receive(message) };
    hub.join(member);
    const reports: string[] = [];
    const bus = new ClusterBus({ send: () => {}, receive: (handler) => (receive = handler) }, (text) =>
      reports.push(text),
    );
    const received: unknown[] = [];
    bus.subscribe('tags', () => {
      throw new Error('broken');
    });
    bus.subscribe('tags', (message) => received.push(message));
    sender.bus.publish('tags', 1);
    expect(received).toEqual([1]);
    expect(reports).toHaveLength(1);
  });

  it('gathers one response per process that has one, and counts those that did not respond in time', async () => {
    const hub = new IpcRouter();
    const [one, two] = [connect(hub), connect(hub)];
    one.bus.respondTo('state', () => 'one');
    two.bus.respondTo('state', async () => 'two');
    expect(await one.bus.gather('state')).toEqual({ responses: ['one', 'two'], missing: 0 });
    hub.join({ send: () => {} });
    expect(await one.bus.gather('state', null, 30)).toEqual({ responses: ['one', 'two'], missing: 1 });
  });

  it('sends a topic of the primary to the primary alone', async () => {
    const hub = new IpcRouter();
    const { bus } = connect(hub);
    bus.respondTo('page', () => 'my own');
    hub.serve('page', async () => "the primary's");
    expect(await bus.gather('page')).toEqual({ responses: ["the primary's"], missing: 0 });
  });

  it('does not wait for an exited process', async () => {
    const hub = new IpcRouter();
    const { bus } = connect(hub);
    const frozen: HubMember = { send: () => {} };
    hub.join(frozen);
    const gathered = bus.gather('state', null, 60_000);
    hub.leave(frozen);
    expect((await gathered).missing).toBe(0);
  });

  it('does not wait for a hanging primary, and continues when it is back', async () => {
    const hub = new IpcRouter();
    const held: (() => void)[] = [];
    let stands = true;
    let receive: (message: FromPrimary) => void = () => {};
    const member: HubMember = { send: (message) => receive(message) };
    const bus = new ClusterBus({
      send: (message) => void (stands ? held.push(() => hub.receive(member, message)) : hub.receive(member, message)),
      receive: (handler) => (receive = handler),
    });
    hub.join(member);
    bus.respondTo('state', () => 'one');
    expect(await bus.gather('state', null, 1)).toEqual({ responses: [], missing: 1 });
    await expect(new ClusterMetrics(bus).collect()).rejects.toMatchObject({ code: 'overloaded' });
    stands = false;
    // The earlier requests get late responses, which are ignored.
    for (const pass of held) pass();
    expect(await bus.gather('state')).toEqual({ responses: ['one'], missing: 0 });
  });

  it('has no other processes without a link', async () => {
    const bus = new ClusterBus();
    const received: unknown[] = [];
    bus.subscribe('tags', (message) => received.push(message));
    bus.publish('tags', 1);
    bus.respondTo('state', () => 'me');
    expect(received).toEqual([]);
    expect(await bus.gather('state')).toEqual({ responses: ['me'], missing: 0 });
  });
});
