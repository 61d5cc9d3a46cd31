import { ClusterHub, type HubMember } from './hub.js';
import { HostTurns } from './host-turns.js';
import type { FromPrimary, ToPrimary } from './messages.js';

/** As over IPC: what came together is told together, each message in a tick of its own and all before any promise goes on. */
function line<T>(tell: (message: T) => void): (message: T) => void {
  let under: T[] = [];
  return (message) => {
    if (under.push(message) > 1) return;
    setImmediate(() => {
      const arrived = under;
      under = [];
      for (const each of arrived) process.nextTick(tell, each);
    });
  };
}

/** Processes that talk to one hub. */
function processes(count: number) {
  const hub = new ClusterHub();
  let sent = 0;
  const members = Array.from({ length: count }, () => {
    const handlers: ((message: FromPrimary) => void)[] = [];
    const member: HubMember = {
      send: line<FromPrimary>((message) => handlers.forEach((handler) => handler(message))),
    };
    hub.join(member);
    const toHub = line<ToPrimary>((message) => hub.hear(member, message));
    const turns = new HostTurns({
      send: (message) => {
        sent++;
        toHub(message);
      },
      receive: (handler) => handlers.push(handler),
    });
    return { member, turns };
  });
  return { hub, members, sent: () => sent };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('HostTurns', () => {
  it('lets one process at a time work, and every process get its turns', async () => {
    const { members } = processes(3);
    let working = 0;
    const done = [0, 0, 0];
    await Promise.all(
      members.map(async ({ turns }, index) => {
        for (let round = 0; round < 20; round++) {
          const end = await turns.take('votes');
          expect(++working).toBe(1);
          await pause(1);
          working--;
          done[index]!++;
          end();
        }
      }),
    );
    expect(done).toEqual([20, 20, 20]);
  });

  it('costs a process that works alone one message in all', async () => {
    const { members, sent } = processes(2);
    for (let round = 0; round < 50; round++) (await members[0]!.turns.take('votes'))();
    expect(sent()).toBe(1);
  });

  it('passes on the turn of a process that died', async () => {
    const { hub, members } = processes(2);
    await members[0]!.turns.take('votes');
    const waiting = members[1]!.turns.take('votes');
    await pause(5);
    hub.leave(members[0]!.member);
    const before = Date.now();
    (await waiting)();
    expect(Date.now() - before).toBeLessThan(500);
  });

  it('goes on without the turn when its holder never ends', async () => {
    const { members } = processes(2);
    await members[0]!.turns.take('votes');
    const before = Date.now();
    (await members[1]!.turns.take('votes'))();
    expect(Date.now() - before).toBeGreaterThanOrEqual(990);
  });

  it('keeps turns of different names apart, and asks nobody when it is alone', async () => {
    const { members } = processes(2);
    await members[0]!.turns.take('votes');
    (await members[1]!.turns.take('follows'))();
    (await new HostTurns().take('votes'))();
  });
});
