import { type Db, type Document, ObjectId } from 'mongodb';

type Kind = 'users' | 'posts' | 'comments' | 'collections' | 'interactions' | 'follows';
export type SourceSizes = Record<Kind, number>;
/** Sizes of the published case. */
export const CASE_SIZES: SourceSizes = {
  users: 400_000,
  posts: 100_000,
  comments: 320_000,
  collections: 0,
  interactions: 500_000,
  follows: 100_000,
};

const KINDS = ['users', 'posts', 'comments', 'collections', 'interactions', 'follows', 'missing'] as const;
const FIRST_SECOND = Date.UTC(2023, 0, 1) / 1_000;
const WORDS = 'lorem ipsum dolor sit amet consectetur adipiscing elit sed do eiusmod tempor incididunt ut labore'.split(
  ' ',
);
const TYPES = ['research-paper', 'article', 'poem', 'story', 'book', 'written'];

/**
 * Documents of an OpenCanvas database, in the shape of its models and of its own seed. Every anomaly occurs in the share `dirt` of its
 * possible rows. The same sizes give the same documents.
 */
export class OpenCanvasSource {
  constructor(
    private readonly sizes: SourceSizes,
    private readonly dirt = 0.05,
  ) {}

  *documents(kind: Kind): Generator<Document> {
    const make = { users: 'user', posts: 'post', comments: 'comment', collections: 'collection' } as const;
    const method = kind === 'interactions' ? 'interaction' : kind === 'follows' ? 'follow' : make[kind];
    for (let at = 0; at < this.sizes[kind]; at++) yield this[method](at);
  }

  /** Replaces the content of the database. */
  async write(db: Db): Promise<void> {
    await db.dropDatabase();
    for (const kind of Object.keys(this.sizes) as Kind[]) {
      const batch: Document[] = [];
      for (const document of this.documents(kind)) {
        if (batch.push(document) === 5_000) await db.collection(kind).insertMany(batch.splice(0), { ordered: false });
      }
      if (batch.length > 0) await db.collection(kind).insertMany(batch, { ordered: false });
    }
  }

  private user(at: number): Document {
    const is = (anomaly: string): boolean => this.is(anomaly, 'user', at);
    const isDefault = draw('default', at) < 0.85;
    const createdAt = timeOf('users', at);
    const posts = [at, at + this.sizes.users].filter((post) => post < this.sizes.posts);
    return {
      _id: id('users', at),
      username: this.username(at),
      email: is('no address') ? `broken ${at}` : `${is('upper address') ? 'USER' : 'user'}${at}@example.com`,
      provider: 'google',
      ...(!isDefault && {
        fullName: is('control') ? `Ann\u0007 ${at}\u202e` : is('long') ? `${'é'.repeat(70)}` : `Ann ${at}`,
      }),
      role: is('role') ? 'super-admin' : 'user',
      profilePicture: is('http')
        ? 'http://images.example.org/a.jpg'
        : isDefault
          ? 'https://opencanvas.in/defaults/profile.jpeg'
          : `https://images.example.org/${at}.jpg`,
      designation: isDefault ? 'Learner' : is('lines') ? 'Weaver\nof looms' : 'Weaver',
      aboutMe: is('long about') ? 'a'.repeat(600) : isDefault ? '' : 'About me.',
      interestedIn: is('many interests')
        ? Array.from({ length: 12 }, (_, n) => `Topic ${n}`)
        : is('signs')
          ? ['C++', '!!!', 'c']
          : ['any'],
      contactInformation: is('links')
        ? [
            { title: '', url: 'http://example.org/x' },
            { title: 'Bad', url: 'javascript:alert(1)' },
          ]
        : [{ title: 'OpenCanvas', url: `https://www.opencanvas.in/u/user_${at}` }],
      premiumUser: { isPremium: is('premium'), subscriptionType: 'none' },
      lastFiveLogin: is('logins') ? [{ loginTime: createdAt, ipAddress: '192.0.2.1' }] : [],
      notifications: { emailNotification: true, commentNotification: is('notifications') },
      featuredItems: is('featured')
        ? [...posts, at, this.sizes.posts + 5].map((post) => ({ itemId: id('posts', post), itemType: 'Post' }))
        : is('featured collection')
          ? [{ itemId: id('collections', at), itemType: 'Collection' }]
          : [],
      stats: { followersCount: 77, followingCount: 1, postsCount: 3, likesReceivedCount: 9 },
      ...(!is('no time') && { createdAt: is('future') ? new Date(Date.UTC(2090, 0, 1)) : createdAt }),
      updatedAt: new Date(createdAt.getTime() + 60_000),
    };
  }

  private username(at: number): string {
    if (at === 1) return 'support';
    if (this.is('short name', 'user', at)) return `u${at % 10}`;
    if (this.is('upper name', 'user', at)) return `User_${at}`;
    // This name differs from the previous user's name in case only.
    if (at > 1 && this.is('clash', 'user', at)) return `USER_${at - 1}`;
    return `user_${at}`;
  }

  private post(at: number): Document {
    const is = (anomaly: string): boolean => this.is(anomaly, 'post', at);
    const createdAt = timeOf('posts', at);
    const author = is('orphan') ? id('missing', at) : id('users', at % this.sizes.users);
    return {
      _id: id('posts', at),
      ...(!is('no title') && { title: is('long title') ? `Long ${at} ${'t'.repeat(250)}` : ` Post ${at} ` }),
      content: is('empty') ? '  ' : is('markdown') ? `# Head ${at}\n\n*a* [b](c) <b>d</b>` : prose(at),
      contentPreview: 'old',
      authorId: author,
      thumbnailUrl: is('http') ? 'http://example.org/a.png' : is('https') ? `https://example.org/${at}.png` : '',
      isPremium: is('premium'),
      isPublic: !is('private'),
      isEdited: is('edited'),
      type: is('type') ? 'image' : TYPES[at % TYPES.length],
      tags: is('tags')
        ? ['Machine Learning', 'a_b', '###', 'x'.repeat(40), 'a-b', 'six', 'seven', 'eight']
        : is('regular')
          ? ['regular']
          : ['tech', 'art'],
      media: is('media') ? ['hash'] : [],
      stats: {
        viewsCount: is('strange count') ? -5 : Math.floor(draw('views', at) * 5_000),
        readsCount: is('strange count') ? 'many' : at % 7,
        sharesCount: is('strange count') ? 2.5 : at % 3,
        likesCount: 400,
        commentsCount: 8,
      },
      createdAt,
      updatedAt: new Date(createdAt.getTime() + 3_600_000),
    };
  }

  /** Returns a comment on the post `at % posts`. On the first post each comment replies to the previous one there. */
  private comment(at: number): Document {
    const { posts } = this.sizes;
    const is = (anomaly: string, of = at): boolean => this.is(anomaly, 'comment', of);
    const isDeep = at % posts === 0;
    const isReply = at >= posts && (isDeep || draw('reply', at) < 0.4);
    const parent = is('circle')
      ? at + posts
      : is('parent missing')
        ? -1
        : is('parent elsewhere')
          ? at + 1
          : isReply || (at >= posts && is('circle', at - posts))
            ? at - posts
            : null;
    const createdAt = timeOf('comments', at);
    return {
      _id: id('comments', at),
      content: is('long') ? `${'word '.repeat(2_500)}` : is('no text') ? '' : `Comment ${at}`,
      authorId: is('no author') ? id('missing', at) : id('users', (at * 7) % this.sizes.users),
      postId: is('no post') ? id('missing', at) : id('posts', at % posts),
      parentId: parent === null ? null : parent < 0 ? id('missing', at) : id('comments', parent),
      stats: { likesCount: 9, dislikesCount: 9, repliesCount: 9 },
      createdAt,
      updatedAt: new Date(createdAt.getTime() + (is('edited') ? 60_000 : 20)),
    };
  }

  private collection(at: number): Document {
    const is = (anomaly: string): boolean => this.is(anomaly, 'collection', at);
    const posts = Array.from({ length: at % 6 }, (_, n) => id('posts', (at * 3 + n) % this.sizes.posts));
    return {
      _id: id('collections', at),
      title: is('long title') ? 'T'.repeat(150) : `Collection ${at}`,
      description: is('long text') ? 'd'.repeat(700) : 'Some posts.',
      isPrivate: is('private'),
      tags: is('tags') ? ['Two Words', '@'] : ['art'],
      authorId: is('orphan') ? id('missing', at) : id('users', (at * 5) % this.sizes.users),
      posts: is('posts missing') ? [...posts, id('missing', at), ...posts] : posts,
      stats: { likesCount: 3, dislikesCount: 0, viewsCount: 0 },
      createdAt: timeOf('collections', at),
      updatedAt: timeOf('collections', at),
    };
  }

  private interaction(at: number): Document {
    const is = (anomaly: string): boolean => this.is(anomaly, 'interaction', at);
    // An account can have both votes on one target: the previous row, and this row with the other vote.
    const pair = at > 0 && is('both') ? at - 1 : at;
    const models = ['Post', 'Comment', ...(this.sizes.collections > 0 ? ['Collection'] : [])];
    const model = is('publication') ? 'Publication' : models[Math.floor(draw('model', pair) * models.length)]!;
    const kind = model === 'Comment' ? 'comments' : model === 'Collection' ? 'collections' : 'posts';
    const target = Math.floor(draw('target', pair) * this.sizes[kind]);
    const drawn = ['like', 'dislike', 'save'][Math.floor(draw('type', at) * 3)]!;
    const userAt = Math.floor(draw('voter', pair) * this.sizes.users);
    return {
      _id: id('interactions', at),
      userId: is('no user') ? id('missing', at) : id('users', userAt),
      targetId: is('no target') ? id('missing', at) : id(kind, target),
      targetModel: model,
      type: drawn,
      createdAt: timeOf('interactions', at),
      updatedAt: timeOf('interactions', at),
    };
  }

  private follow(at: number): Document {
    const is = (anomaly: string): boolean => this.is(anomaly, 'follow', at);
    const pair = at > 0 && is('twice') ? at - 1 : at;
    const followerId = id('users', Math.floor(draw('follower', pair) * this.sizes.users));
    const followed = Math.floor(draw('followed', pair) * this.sizes.users);
    return {
      _id: id('follows', at),
      followerId,
      followingId: is('self') ? followerId : is('missing') ? id('missing', at) : id('users', followed),
      since: timeOf('follows', at),
    };
  }

  private is(anomaly: string, kind: string, at: number): boolean {
    return draw(anomaly, kind, at) < this.dirt;
  }
}

/** Times are two seconds apart, so that ids sort by time. */
function timeOf(kind: (typeof KINDS)[number], at: number): Date {
  return new Date((FIRST_SECOND + KINDS.indexOf(kind) * 1_000 + at * 2) * 1_000);
}

function id(kind: (typeof KINDS)[number], at: number): ObjectId {
  const bytes = Buffer.alloc(12, KINDS.indexOf(kind) + 1);
  bytes.writeUInt32BE(timeOf(kind, at).getTime() / 1_000, 0);
  bytes.writeUInt32BE(at, 8);
  return new ObjectId(bytes);
}

/** Returns three short paragraphs, as the seed of OpenCanvas writes them. */
function prose(at: number): string {
  const sentence = (n: number): string =>
    `${Array.from({ length: 9 }, (_, word) => WORDS[(at * 31 + n * 7 + word * 3) % WORDS.length]).join(' ')}.`;
  const paragraph = (n: number): string => [0, 1, 2].map((part) => sentence(n * 3 + part)).join(' ');
  return [0, 1, 2].map(paragraph).join('\n');
}

/** Returns a number from 0 to 1, the same for the same keys. */
function draw(...keys: (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const sign of keys.join(':')) hash = Math.imul(hash ^ sign.charCodeAt(0), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash = Math.imul(hash ^ (hash >>> 12), 0x297a2d39);
  return ((hash ^ (hash >>> 15)) >>> 0) / 2 ** 32;
}
