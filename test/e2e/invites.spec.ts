import { InvitesService } from '../../src/registration/invites.service.js';
import { useApp } from '../support/app.js';
import { expectProblem } from '../support/problem.js';
import type { Person } from '../support/world.js';

const app = useApp({ env: { INVITES_PER_USER: '2' } });
let admin: Person;
let moderator: Person;
let member: Person;

beforeAll(async () => {
  admin = await app.world.person({ role: 'admin' });
  moderator = await app.world.person({ role: 'moderator' });
  member = await app.world.person();
});

const create = ({ token }: Person, body: object = {}) => app.client.post('/v1/admin/invites', { token, body });
const invites = async ({ token }: Person) => (await app.client.get('/v1/admin/invites', { token })).body.data;
const revoke = ({ token }: Person, id: string) => app.client.delete(`/v1/admin/invites/${id}`, { token });

describe('an invite', () => {
  it('is shown once and stored as its hash', async () => {
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    const made = await create(admin, { uses: 5, expiresAt, note: 'for the circle' });
    const { code, ...shown } = made.body;
    expect([made.status, made.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(shown).toMatchObject({ creatorId: admin.id, uses: 5, usedCount: 0, note: 'for the circle', expiresAt });
    expect((await invites(admin))[0]).toEqual(shown);
    const rows = await app.db.collection('invites').find().toArray();
    expect(JSON.stringify(rows)).not.toContain(code);
    const log = await app.client.get(`/v1/admin/log?targetId=${shown.id}`, { token: moderator.token });
    expect(log.body.data).toMatchObject([{ kind: 'create_invite', targetKind: 'invite', actorId: admin.id }]);
  });

  it.each([
    ['in the past', { expiresAt: '2020-01-01T00:00:00Z' }, 'invalid_expiry'],
    ['with 101 uses', { uses: 101 }, 'invalid_input'],
  ])('is refused %s', async (_, body, code) => {
    expectProblem(await create(admin, body), 400, code);
  });

  it('of a member admits one account, and they are limited, also when made at once', async () => {
    expectProblem(await create(member, { uses: 2 }), 400, 'invalid_input');
    const answers = await Promise.all([...Array(4)].map(() => create(member)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 409, 409]);
    const own = await invites(member);
    expect(own.map(({ creatorId }: { creatorId: string }) => creatorId)).toEqual([member.id, member.id]);
    expectProblem(await revoke(moderator, own[0].id), 404, 'invite_not_found');
    expect((await revoke(member, own[0].id)).status).toBe(204);
    expect((await create(member)).status).toBe(201);
  });

  it('that was used gets no further uses when it is revoked, and keeps its place in the limit', async () => {
    const [first] = await invites(member);
    const { db } = app;
    await db.collection('invites').updateMany({ creatorId: member._id }, { $set: { usedCount: 1 } });
    expect((await revoke(member, first.id)).status).toBe(204);
    expect(await invites(member)).toHaveLength(2);
    expectProblem(await create(member), 409, 'too_many_invites');
  });

  it('of members is refused where members have none', async () => {
    const service = app.app.get(InvitesService);
    Object.assign(service, { perUser: 0 });
    await expect(service.create(member.viewer, {})).rejects.toMatchObject({ code: 'forbidden' });
    Object.assign(service, { perUser: 2 });
  });
});
