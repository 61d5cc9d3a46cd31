import { ObjectId } from 'mongodb';
import { AppConfig } from '../config/app-config.js';
import { ENV_SCHEMA } from '../config/env.schema.js';
import { PostIds } from './post-ids.js';

const [OLD, NEW] = ['an old secret of more than 32 characters', 'a new secret of more than 32 characters'];
const idsWith = (secrets: string): PostIds =>
  new PostIds(new AppConfig(ENV_SCHEMA.parse({ AUTH_TOKEN_SECRETS: secrets })));
const [ada, bob] = [new ObjectId().toHexString(), new ObjectId().toHexString()];

describe('PostIds', () => {
  it('recognizes the ids of an account, and none of another one', () => {
    const ids = idsWith(OLD);
    const id = ids.create(ada);

    expect([ids.isOf(ada, id), ids.isOf(bob, id), ids.isOf(ada, new ObjectId())]).toEqual([true, false, false]);
  });

  it('recognizes them after the secret is rotated, as long as the old one is listed', () => {
    const id = idsWith(OLD).create(ada);

    expect([idsWith(`${NEW},${OLD}`).isOf(ada, id), idsWith(NEW).isOf(ada, id)]).toEqual([true, false]);
  });

  it('refuses an id with any changed byte', () => {
    const ids = idsWith(OLD);
    const id = ids.create(ada).toHexString();
    const changed = Array.from({ length: 12 }, (_, at) => {
      const bytes = Buffer.from(id, 'hex');
      bytes[at]! ^= 1;
      return new ObjectId(bytes);
    });

    expect(changed.map((other) => ids.isOf(ada, other))).toEqual(changed.map(() => false));
  });
});
