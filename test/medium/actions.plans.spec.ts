import { AccountsService } from '../../src/auth/accounts.service.js';
import { useApp } from '../support/app.js';
import { plansOf, scansOf } from '../support/plans.js';
import type { Person } from '../support/world.js';
import { drainTasks } from '../support/verbs.js';

const app = useApp({ env: { CLEANUP_DELAY_MS: '0', MODERATION_LOG: 'public', CACHE_FEED_TTL_MS: '0' } });
const { world } = app;
let account: Person;
let moderator: Person;
let postId: string;

const getAs = (path: string, { token }: Person = moderator) => app.client.get(`/v1/${path}`, { token });

beforeAll(async () => {
  const others = await world.people(6);
  account = others[0]!;
  moderator = await world.person({ role: 'moderator' });
  postId = (await world.post({ by: account })).id;
  for (const { id, token, viewer } of others) {
    const post = await world.post({ by: { token, viewer } });
    const reporter = await world.person();
    await world.report({ by: reporter, on: post.id });
    await app.client.post(`/v1/moderation/cases/post-${post.id}/dismiss`, { token: moderator.token, body: {} });
    for (const targetId of [post.id, postId])
      for (const kind of ['lock', 'unlock'] as const) await world.moderate({ kind, targetKind: 'post', targetId });
    for (let times = 0; times < 3; times++) {
      const actionId = await world.moderate({ kind: 'warn', targetKind: 'user', targetId: id });
      await world.appeal({ by: { token }, actionId });
    }
  }
});

describe('the queries of actions and appeals', () => {
  it.each([
    ['the actions on an account', 'users/me/moderation', '"ownerId":1,"kind":1,"_id":-1', 'moderation_actions'],
    ['the public log', 'moderation/log', '"kind":1,"_id":-1', 'moderation_actions'],
    ['open appeals', 'moderation/appeals', '"state":1,"seq":1', 'appeals'],
  ])('read %s as ranges of an index, page by page', async (_, path, key, collection) => {
    const reader = path.startsWith('users') ? account : moderator;
    for (let page = 0, cursor = ''; page < 3; page++) {
      let answer = { status: 0, body: { page: { nextCursor: '' } } };
      const work = async () => (answer = await getAs(`${path}?limit=2${cursor}`, reader));
      const [list, ...others] = await plansOf(app, work, collection);

      expect(answer.status).toBe(200);
      expect(list).toMatchObject({ docsExamined: 3, nReturned: 3 });
      expect(list!.plan).toContain(key);
      for (const { plan, docsExamined, nReturned } of [list!, ...others]) {
        expect(plan).not.toMatch(/\bSORT\b|COLLSCAN/);
        expect(docsExamined).toBe(nReturned);
      }
      cursor = `&cursor=${answer.body.page.nextCursor}`;
    }
  });

  it('reads the actions of a case as ranges of two indexes', async () => {
    const caseId = await world.report({ by: await world.person(), on: postId });

    const plans = await plansOf(app, () => getAs(`moderation/cases/${caseId}`), 'moderation_actions');

    expect(plans.map(({ docsExamined, nReturned }) => [docsExamined, nReturned]).sort()).toEqual([
      [12, 12],
      [18, 18],
    ]);
    for (const { plan } of plans) expect(plan).not.toMatch(/\bSORT\b/);
  });

  it('scans no collection when a moderator acts, an account appeals, and another moderator decides', async () => {
    const person = await world.person();
    const post = await world.post({ by: person });
    const caseId = await world.report({ by: account, on: post.id });
    const act = async (kind: string, targetKind: string, targetId: string, fields = {}): Promise<string> => {
      const body = { kind, targetKind, targetId, reasonCode: 'spam', publicReason: 'Spam.', ...fields };
      const answer = await app.client.post('/v1/moderation/actions', { token: moderator.token, body });
      expect(answer.status).toBe(201);
      return answer.body.id;
    };

    const scans = await scansOf(app, async () => {
      const actionId = await act('remove', 'post', post.id);
      await world.appeal({ by: person, actionId });
      const { token } = await world.person({ role: 'moderator' });
      const decision = { token, body: { isAccepted: true, publicReason: 'Sorry.' } };
      const { status } = await app.client.post(`/v1/moderation/appeals/${actionId}/decision`, decision);
      expect(status).toBe(204);
      await act('suspend', 'user', person.id);
      await act('lift', 'user', person.id);
      await app.app.get(AccountsService).end(person._id);
      await drainTasks(app);
    });

    expect(scans).toEqual([]);
    expect((await getAs(`moderation/cases/${caseId}`)).body.outcome).toBe('acted');
  });
});
