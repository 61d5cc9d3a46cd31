import { ClusterBus, IpcRouter } from './bus.js';
import type { BusLink, FromPrimary, HubMember } from './ipc.js';

/** Connects a fake process directly to the router. */
function connect(hub: IpcRouter) {
  let receive: (message: FromPrimary) => void = () => {};
  const member: HubMember = { send: (message) => receive(structuredClone(message)) };
  const link: BusLink = {
    send: (message) => message.type === 'publish' && hub.publish(member, message.channel, message.message),
    receive: (handler) => (receive = handler),
  };
  hub.join(member);
  const bus = new ClusterBus(link);
  const received: unknown[] = [];
  bus.subscribe('tags', (message) => received.push(message));
  return { bus, received };
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

  it('has no other processes without a link', () => {
    const bus = new ClusterBus();
    const received: unknown[] = [];
    bus.subscribe('tags', (message) => received.push(message));
    bus.publish('tags', 1);
    expect(received).toEqual([]);
    expect(bus.isAlone).toBe(true);
  });
});
