import { hubLinks } from '../../../test/support/hub-links.js';
import { HostTurns } from './host-turns.js';
import type { FromPrimary, ToPrimary } from './messages.js';

/** Processes that talk to one hub, and all that is said. */
function processes(count: number) {
  const said: string[] = [];
  const { hub, members } = hubLinks(count, (index, message) => said.push(`${index} ${turnWord(message)}`));
  return { hub, said, members: members.map(({ member, link }) => ({ member, turns: new HostTurns(link) })) };
}

function turnWord(message: FromPrimary | ToPrimary): string {
  if (message.type !== 'turn') return message.type;
  if ('action' in message) return message.action;
  return message.state === 'granted' && message.isWanted === true ? 'granted and wanted' : message.state;
}

const KEEPS = { keepsPlace: true };
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

  it('costs a process that works alone one question in all', async () => {
    const { members, said } = processes(2);
    for (let round = 0; round < 50; round++) (await members[0]!.turns.take('votes', KEEPS))();
    expect(said).toEqual(['0 ask', '0 granted']);
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

  it('costs two processes that both have work two messages a turn, also when the work comes together only meanwhile', async () => {
    const { members, said } = processes(2);
    const rounds = 20;
    await Promise.all(
      members.map(async ({ turns }) => {
        for (let round = 0; round < rounds; round++) {
          const end = await turns.take('votes', KEEPS);
          await pause(4);
          end();
          // what is next is not there yet when the turn is given back
          await pause(1);
        }
      }),
    );
    // the first turns and the last ones are handed over as among strangers
    expect(said.length).toBeLessThanOrEqual(2 * 2 * rounds + 8);
    const exchanged = said.filter((word) => /give and ask|granted and wanted/.test(word));
    expect(exchanged.length).toBeGreaterThanOrEqual(2 * 2 * (rounds - 3));
  });

  it('goes on to who waits when a process that kept its place has no work any more', async () => {
    const { members, said } = processes(2);
    const [first, second] = members.map(({ turns }) => turns);
    const endFirst = await first!.take('votes', KEEPS);
    const waited = second!.take('votes', KEEPS);
    await pause(5);
    endFirst();
    const endWaited = await waited;
    const again = first!.take('votes', KEEPS);
    await pause(5);
    // it keeps its place, and that is all it does
    endWaited();
    (await again)();
    await pause(20);
    const before = Date.now();
    (await first!.take('votes', KEEPS))();
    (await second!.take('votes', KEEPS))();
    expect(Date.now() - before).toBeLessThan(500);
    expect(said).toContain('1 give and ask');
  });

  it('stays with a process that kept its place when nobody waits, and then costs it nothing', async () => {
    const { hub, members, said } = processes(2);
    const endFirst = await members[0]!.turns.take('votes', KEEPS);
    const waiting = members[1]!.turns.take('votes', KEEPS);
    await pause(5);
    const again = members[0]!.turns;
    endFirst();
    const endSecond = await waiting;
    const third = again.take('votes', KEEPS);
    await pause(5);
    endSecond();
    const endThird = await third;
    hub.leave(members[1]!.member);
    endThird();
    await pause(10);
    const until = said.length;
    for (let round = 0; round < 5; round++) (await again.take('votes', KEEPS))();
    expect(said.slice(until)).toEqual([]);
  });

  it('is given back without a place when nothing was said of keeping it, as a password hash takes it', async () => {
    const { members, said } = processes(2);
    await Promise.all(
      members.map(async ({ turns }) => {
        for (let round = 0; round < 10; round++) {
          const end = await turns.take('hash 0');
          await pause(1);
          end();
        }
      }),
    );
    expect(said).not.toContain('0 give and ask');
    expect(said).not.toContain('1 give and ask');
  });

  it('keeps the places of two names apart', async () => {
    const { members } = processes(2);
    const working = { votes: 0, follows: 0 };
    const work = (name: keyof typeof working, index: number) => async () => {
      for (let round = 0; round < 15; round++) {
        const end = await members[index]!.turns.take(name, KEEPS);
        expect(++working[name]).toBe(1);
        await pause(name === 'votes' ? 1 : 2);
        working[name]--;
        end();
      }
    };
    const before = Date.now();
    await Promise.all(
      [work('votes', 0), work('votes', 1), work('follows', 0), work('follows', 1)].map((each) => each()),
    );
    // nobody's patience ran out
    expect(Date.now() - before).toBeLessThan(900);
  });

  it('passes on the turn that a process was waiting for when it died, and the place it kept', async () => {
    const { hub, members } = processes(3);
    const turns = members.map((member) => member.turns);
    const ends = await turns[0]!.take('votes', KEEPS);
    const second = turns[1]!.take('votes', KEEPS);
    await pause(5);
    ends();
    const endSecond = await second;
    const first = turns[0]!.take('votes', KEEPS);
    const third = turns[2]!.take('votes', KEEPS);
    await pause(5);
    // it waits for its next turn from here on
    endSecond();
    (await first)();
    hub.leave(members[1]!.member);
    const before = Date.now();
    (await third)();
    (await turns[0]!.take('votes', KEEPS))();
    expect(Date.now() - before).toBeLessThan(500);
  });

  it('is asked for in words that a primary of an earlier version knows', async () => {
    const sent: string[] = [];
    let tell: (message: FromPrimary) => void = () => undefined;
    const turns = new HostTurns({
      send: (message) => sent.push(turnWord(message)),
      receive: (handler) => (tell = handler),
    });
    const waiting = turns.take('votes', KEEPS);
    tell({ type: 'turn', name: 'votes', state: 'granted' });
    tell({ type: 'turn', name: 'votes', state: 'wanted' });
    (await waiting)();
    expect(sent).toEqual(['ask', 'give']);
  });
});
