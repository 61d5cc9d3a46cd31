import type { BusLink } from '../../src/platform/cluster/bus.js';
import { ClusterHub } from '../../src/platform/cluster/hub.js';
import type { FromPrimary, HubMember, ToPrimary } from '../../src/platform/cluster/messages.js';

/** As over IPC: what came together is told together, each message in a tick of its own and all before any promise goes on. */
function line<T>(tell: (message: T) => void): (message: T) => void {
  let under: T[] = [];
  return (message) => {
    if (under.push(structuredClone(message)) > 1) return;
    setImmediate(() => {
      const arrived = under;
      under = [];
      for (const each of arrived) process.nextTick(tell, each);
    });
  };
}

export type LinkedMember = {
  member: HubMember;
  link: BusLink;
  /** it hears and says nothing from then on */
  freeze: () => void;
};

/**
 * Members of one hub within this process, each with its link.
 * @param onSaid every message, with the number of the member it comes from or goes to
 */
export function hubLinks(
  count: number,
  onSaid: (index: number, message: FromPrimary | ToPrimary) => void = () => undefined,
): { hub: ClusterHub; members: LinkedMember[] } {
  const hub = new ClusterHub();
  const members = Array.from({ length: count }, (_, index): LinkedMember => {
    const handlers: ((message: FromPrimary) => void)[] = [];
    let isFrozen = false;
    const fromHub = line<FromPrimary>((message) => isFrozen || handlers.forEach((handler) => handler(message)));
    const member: HubMember = {
      send: (message) => {
        onSaid(index, message);
        fromHub(message);
      },
    };
    hub.join(member);
    const toHub = line<ToPrimary>((message) => hub.hear(member, message));
    const link: BusLink = {
      send: (message) => {
        if (isFrozen) return;
        onSaid(index, message);
        toHub(message);
      },
      receive: (handler) => handlers.push(handler),
    };
    return { member, link, freeze: () => (isFrozen = true) };
  });
  return { hub, members };
}
