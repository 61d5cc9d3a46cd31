import type { ObjectId } from 'mongodb';
import { likesTier } from '../../src/users/user-stats.js';
import { DEMO_ACCOUNTS } from '../../src/common/demo-accounts.js';
import { type Person, personOf } from '../plan/person.js';
import type { Plan } from '../plan/plan.js';
import { POST_STATES } from '../plan/posts-plan.js';
import { STREAMS } from '../plan/streams.js';
import { Random } from '../sampling/random.js';
import type { MarkdownWriter } from '../text/markdown.js';
import { LOCALE_BY_LANGUAGE } from '../words/names.js';
import { CRAFTS, INTERESTS, LINK_TITLES, PLACES, PURSUITS } from '../words/profiles.js';
import type { AuthorSnapshot } from '../../src/users/author-snapshot.js';
import type { UserDocument } from './document-types.js';
import type { SeedIds } from './seed-ids.js';
import { avatarOf } from './seed-pictures.js';

const FEATURED_MOST = 4;

/** Writes users, and their snapshots in posts and comments. */
export class PeopleWriter {
  private readonly random: Random;

  constructor(
    private readonly plan: Plan,
    private readonly ids: SeedIds,
    private readonly text: MarkdownWriter,
  ) {
    this.random = new Random(plan.request.seed);
  }

  id(user: number): ObjectId {
    return this.ids.id('user', user, this.plan.people.createdAt[user]!);
  }

  person(user: number): Person {
    const person = personOf(this.random, this.plan.request.seed, user);
    const demo = DEMO_ACCOUNTS[user];
    return demo
      ? { locale: LOCALE_BY_LANGUAGE.get('en')!, fullName: demo.fullName, usernameBase: demo.username }
      : person;
  }

  snapshot(user: number, person: Person = this.person(user)): AuthorSnapshot {
    const number = this.plan.people.usernameNumber[user]!;
    // The same two in five accounts have no image in every document.
    const hasPicture = user % 5 < 3;
    return {
      username: number === 0 ? person.usernameBase : person.usernameBase + number,
      fullName: person.fullName,
      profilePicture: hasPicture ? avatarOf(user) : null,
    };
  }

  document(user: number): UserDocument {
    const { people, request } = this.plan;
    const person = this.person(user);
    const snapshot = this.snapshot(user, person);
    const random = this.random.reseed(request.seed, STREAMS.userText, user);
    const postsCount = people.listedPosts[user]!;
    const likesReceivedCount = people.likesReceived[user]!;
    const createdAt = new Date(people.createdAt[user]! * 1000);
    const deletedAt = people.deletedAt[user]! ? new Date(people.deletedAt[user] * 1000) : null;
    const demo = DEMO_ACCOUNTS[user];
    const likesPerPost = postsCount === 0 ? 0 : likesReceivedCount / postsCount;
    return {
      _id: this.id(user),
      ...snapshot,
      previousUsernames: !demo && random.chance(0.01) ? earlierNames(snapshot.username) : [],
      bio: demo?.bio ?? (random.chance(0.6) ? this.text.biography(random, person.locale.language) : ''),
      role: demo?.role ?? (random.chance(0.0005) ? 'moderator' : 'user'),
      stats: {
        followersCount: people.followers[user]!,
        followingCount: people.following[user]!,
        postsCount,
        likesReceivedCount,
      },
      likesPerPost,
      likesTier: likesTier(likesPerPost),
      featuredPostIds: random.chance(0.3) || demo ? this.featured(user) : [],
      collectionsCount: this.plan.collections.ofOwner[user]!,
      ...aboutOf(random, user),
      settings: { language: person.locale.language },
      snapshotVersion: 1,
      createdAt,
      updatedAt: deletedAt ?? createdAt,
      deletedAt,
    };
  }

  /** Returns the most liked of the user's listed posts if there are at least three. */
  private featured(user: number): ObjectId[] {
    const { posts, postsByAuthor, firstPost } = this.plan;
    const own = postsByAuthor.subarray(firstPost[user], firstPost[user + 1]);
    if (own.length < 3) return [];
    return [...own]
      .filter((post) => posts.state[post] === POST_STATES.listed)
      .sort((a, b) => posts.likes[b]! - posts.likes[a]! || a - b)
      .slice(0, FEATURED_MOST)
      .map((post) => this.ids.id('post', post, posts.createdAt[post]!));
  }
}

/** Most accounts have short profiles. */
function aboutOf(random: Random, user: number): Pick<UserDocument, 'headline' | 'location' | 'interests' | 'links'> {
  const some = <T>(most: number, draw: () => T): T[] => Array.from({ length: random.int(most + 1) }, draw);
  return {
    headline: random.chance(0.4) ? `${random.pick(CRAFTS)}, ${random.pick(PURSUITS)}` : '',
    location: random.chance(0.4) ? random.pick(PLACES) : '',
    interests: random.chance(0.5) ? [...new Set(some(5, () => random.pick(INTERESTS)))] : [],
    links: random.chance(0.2)
      ? some(3, () => random.pick(LINK_TITLES)).map((title, at) => ({
          title,
          url: `https://people.example.org/${user}/${at}`,
        }))
      : [],
  };
}

/** An earlier name is never truncated, because its end is unique. */
function earlierNames(username: string): string[] {
  const earlier = `was_${username}`;
  return earlier.length <= 16 ? [earlier] : [];
}
