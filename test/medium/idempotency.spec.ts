import { hash } from 'node:crypto';
import { IdempotencyModule } from '../../src/platform/idempotency/idempotency.module.js';
import { IdempotencyService, type KeyedRequest } from '../../src/platform/idempotency/idempotency.service.js';
import { MongoService } from '../../src/platform/mongo/mongo.service.js';
import { useMongoModule } from '../support/mongo-module.js';

const REQUEST: KeyedRequest = {
  key: 'k-1',
  accountId: '64b000000000000000000001',
  address: '10.0.0.1',
  userAgent: 'test',
  route: 'POST /v1/posts',
  body: { title: 'a' },
};

describe('first responses by Idempotency-Key', () => {
  const mongo = useMongoModule();
  let service: IdempotencyService;
  let elsewhere: IdempotencyService;
  let database: MongoService;

  beforeAll(async () => {
    const open = () => mongo.open({}, { imports: [IdempotencyModule] });
    const [here, there] = [await open(), await open()];
    database = here.get(MongoService);
    service = here.get(IdempotencyService);
    elsewhere = there.get(IdempotencyService);
    await mongo.db.createCollection('idempotency_keys');
    await mongo.db.createCollection('things');
  });
  beforeEach(async () => {
    await mongo.db.collection('idempotency_keys').deleteMany({});
    await mongo.db.collection('things').deleteMany({});
  });

  const response = { status: 201, headers: { location: '/v1/posts/1' }, body: { id: '1', text: 'äöü' } };

  it('returns the same bytes, short or long, in every process', async () => {
    for (const body of [response.body, { text: 'Лев \ud800'.repeat(5_000) }]) {
      const key = service.keyOf({ ...REQUEST, key: `k-${body.text.length}` });
      await database.transaction((tx) => tx.storeResponse(key, { ...response, body }));
      expect(await elsewhere.find(key)).toEqual({ ...response, body: JSON.stringify(body) });
    }
  });

  it('stores the response exactly when its write is stored', async () => {
    const key = service.keyOf(REQUEST);
    const failing = database.transaction(async (tx) => {
      await database.collection('things').insertOne({}, { session: tx.session });
      tx.storeResponse(key, response);
      throw new Error('crash');
    });
    await expect(failing).rejects.toThrow('crash');
    expect(await service.find(key)).toBeNull();
    expect(await mongo.db.collection('things').countDocuments()).toBe(0);
  });

  it('distinguishes bodies, accounts, visitors, paths and keys', async () => {
    await database.transaction((tx) => tx.storeResponse(service.keyOf(REQUEST), response));
    await expect(service.find(service.keyOf({ ...REQUEST, body: { title: 'b' } }))).rejects.toMatchObject({
      code: 'idempotency_key_reused',
    });
    for (const other of [
      { accountId: '64b000000000000000000002' },
      { accountId: null },
      { route: 'POST /v1/posts/1/comments' },
      { key: 'k-2' },
    ]) {
      expect(await service.find(service.keyOf({ ...REQUEST, ...other }))).toBeNull();
    }
    const visitor = service.keyOf({ ...REQUEST, accountId: null });
    expect(service.keyOf({ ...REQUEST, accountId: null, address: '10.0.0.2' }).id).not.toBe(visitor.id);
  });

  it('hides the sender of a request from a reader of the database who guesses its key', () => {
    const guessed = hash('sha256', `${REQUEST.accountId}\0${REQUEST.route}\0${REQUEST.key}`, 'base64');
    expect(service.keyOf(REQUEST).id).toBe(guessed);
    expect(service.keyOf({ ...REQUEST, hidesSender: true }).id).not.toBe(guessed);
  });

  it('refuses keys that are empty, long or not printable', () => {
    for (const key of ['', 'a'.repeat(65), 'two words', 'é', 'a, b']) {
      expect(() => service.keyOf({ ...REQUEST, key })).toThrow('Idempotency-Key');
    }
  });

  it('lets one of two equal requests write', async () => {
    const key = service.keyOf(REQUEST);
    let waiting = 2;
    let go = (): void => {};
    const both = new Promise<void>((resolve) => (go = resolve));
    const write = () =>
      database.transaction(async (tx) => {
        await database.collection('things').insertOne({}, { session: tx.session });
        tx.storeResponse(key, response);
        if (--waiting === 0) go();
        await both;
      });
    const outcomes = await Promise.allSettled([write(), write()]);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(outcomes).toContainEqual({
      status: 'rejected',
      reason: expect.objectContaining({ code: 'request_in_progress' }),
    });
    const late = database.transaction((tx) => tx.storeResponse(key, response));
    await expect(late).rejects.toMatchObject({ code: 'request_in_progress' });
    expect(await mongo.db.collection('things').countDocuments()).toBe(1);
  });
});
