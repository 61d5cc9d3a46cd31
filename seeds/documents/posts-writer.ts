import { Binary, type ObjectId } from 'mongodb';
import { rankBothSlots } from '../../src/posts/score.js';
import { compressBody } from '../../src/rendering/body-codec.js';
import { readTimeMinutes, slugify } from '../../src/rendering/post-text.js';
import { storedText } from '../../src/posts/post-body.schema.js';
import { addTop, type TopCount } from '../../src/views/top-counts.js';
import { encodeText } from '../../src/rendering/rendered-html.js';
import { DEMO_POSTS, type DemoPost } from '../demo-posts/demo-posts.js';
import { audienceDays } from '../plan/audience-plan.js';
import { authorDays } from '../plan/author-days-plan.js';
import { DAY } from '../plan/clock.js';
import type { Plan } from '../plan/plan.js';
import { POST_STATES, typeOf } from '../plan/posts-plan.js';
import { STREAMS } from '../plan/streams.js';
import { Random } from '../sampling/random.js';
import { textOfGenerated } from '../text/generated-text.js';
import type { HeadlineWriter } from '../text/headline.js';
import type { MarkdownWriter } from '../text/markdown.js';
import { isWritten, type Subject, topicsIn } from '../text/sentence-pool.js';
import { topicOf } from '../words/topics/topics.js';
import { EXAMPLE_MENTIONS, EXAMPLE_POST } from './example-texts.js';
import type { PostBodyDocument, PostDocument, PostEventDayDocument, AuthorDayDocument } from './document-types.js';
import type { PeopleWriter } from './people-writer.js';
import type { SeedIds } from './seed-ids.js';
import { coverOf, pathOf } from './seed-pictures.js';

// Most people whose first language is not English still write in English.
const OWN_LANGUAGE_SHARE = 0.35;

/** A stored post: the card, and its Markdown apart. */
export interface WrittenPost {
  card: PostDocument;
  body: PostBodyDocument;
}

export class PostsWriter {
  private readonly random: Random;
  private readonly now: Date;

  constructor(
    private readonly plan: Plan,
    private readonly ids: SeedIds,
    private readonly people: PeopleWriter,
    private readonly text: MarkdownWriter,
    private readonly headlines: HeadlineWriter,
  ) {
    this.random = new Random(plan.request.seed);
    this.now = new Date(plan.now * 1000);
  }

  id(post: number): ObjectId {
    return this.ids.id('post', post, this.plan.posts.createdAt[post]!);
  }

  /** Returns the subject of a post and of its comments. */
  subject(post: number): Subject {
    const byHand = this.byHand(post);
    if (byHand) return { language: byHand.language, topic: topicOf(byHand.topic) };
    const own = this.people.person(this.plan.posts.author[post]!).locale.language;
    const random = this.random.reseed(this.plan.request.seed, STREAMS.subject, post);
    const isOwn = random.chance(OWN_LANGUAGE_SHARE) && isWritten(own);
    const language = isOwn ? own : 'en';
    return { language, topic: random.pick(topicsIn(language)) };
  }

  private byHand(post: number): DemoPost | undefined {
    return DEMO_POSTS[this.plan.posts.byHand[post]! - 1];
  }

  write(post: number): WrittenPost {
    const subject = this.subject(post);
    const random = this.random.reseed(this.plan.request.seed, STREAMS.postText, post);
    const type = typeOf(this.plan.posts, post);
    const drawn = {
      ...this.headlines.write(random, type, subject),
      markdown: this.text.body(random, { type, subject, isLong: this.plan.posts.isLong[post] === 1 }),
    };
    const cover = random.chance(0.55) ? coverOf(post) : null;
    const below = random.chance(0.3) ? this.headlines.subtitle(random, subject) : null;
    const isExample = post === this.plan.posts.example;
    const { title, subtitle, tags, markdown } = isExample
      ? EXAMPLE_POST
      : (this.byHand(post) ?? { ...drawn, subtitle: below });
    const { codec, rawLength, bytes } = compressBody(markdown);
    const { preview, words, read } = textOfGenerated(markdown);
    const _id = this.id(post);
    const author = this.plan.posts.author[post]!;
    return {
      card: {
        _id,
        title,
        subtitle,
        slug: slugify(title),
        type,
        tags: [...tags],
        contentPreview: preview,
        readTime: readTimeMinutes(words),
        thumbnailUrl: cover && pathOf(cover),
        // Only the demo writer owns images. Other accounts show an image by its address alone.
        thumbnail: this.plan.posts.author[post] === 0 ? cover : null,
        // Every visitor of a dataset has an account.
        visitors: { reads: 0, shares: 0, likes: 0, dislikes: 0 },
        authorId: this.people.id(author),
        mentions: isExample ? EXAMPLE_MENTIONS.map((user) => this.people.id(user)) : [],
        authorSnapshot: this.people.snapshot(author),
        ...this.state(post),
        ...this.standing(post),
      },
      body: { _id, codec, rawLength, bytes: new Binary(bytes), text: storedText(encodeText(read)) },
    };
  }

  *eventDays(post: number): Generator<PostEventDayDocument> {
    const postId = this.id(post);
    for (const { day, ...counts } of audienceDays(this.plan.posts, post, this.plan.now)) {
      const date = dateOf(day);
      const _id = `${postId.toHexString()}:${date}`;
      const referrers = referrersOf(counts.views);
      yield { _id, postId, day: date, ...counts, visitorReads: 0, visitorShares: 0, referrers };
    }
  }

  *authorDays(user: number): Generator<AuthorDayDocument> {
    const authorId = this.people.id(user);
    for (const { day, posts, ...counts } of authorDays(this.plan, user)) {
      const date = dateOf(day);
      const viewed = [...posts].map(([post, count]) => ({ key: this.id(post).toHexString(), count }));
      yield {
        _id: `${authorId.toHexString()}:${date}`,
        authorId,
        day: date,
        ...counts,
        posts: addTop([], viewed),
        referrers: referrersOf(counts.views),
      };
    }
  }

  private state(post: number) {
    const { posts } = this.plan;
    const state = posts.state[post];
    const contentEditedAt = new Date(posts.contentEditedAt[post]! * 1000);
    const deletedAt = posts.deletedAt[post]! ? new Date(posts.deletedAt[post] * 1000) : null;
    return {
      isPublic: state === POST_STATES.listed || state === POST_STATES.deleted,
      isListed: state === POST_STATES.listed,
      isEdited: posts.version[post]! > 1,
      isDraft: state === POST_STATES.draft,
      isLocked: false,
      isHistoryPublic: false,
      version: posts.version[post]!,
      createdAt: new Date(posts.createdAt[post]! * 1000),
      contentEditedAt,
      updatedAt: deletedAt ?? contentEditedAt,
      deletedAt,
    };
  }

  private standing(post: number): Pick<PostDocument, 'stats' | 'rank'> {
    const { posts } = this.plan;
    const stats = {
      viewsCount: posts.views[post]!,
      readsCount: posts.reads[post]!,
      likesCount: posts.likes[post]!,
      dislikesCount: posts.dislikes[post]!,
      sharesCount: posts.shares[post]!,
      commentsCount: posts.comments[post]!,
    };
    const createdAt = new Date(posts.createdAt[post]! * 1000);
    const contentEditedAt = new Date(posts.contentEditedAt[post]! * 1000);
    return { stats, rank: rankBothSlots(stats, createdAt, contentEditedAt, this.now, this.id(post)) };
  }
}

/** @param day days since 1970 */
function dateOf(day: number): string {
  return new Date(day * DAY * 1000).toISOString().slice(0, 10);
}

/** Half of the views come from pages of the site, and some from elsewhere. */
function referrersOf(views: number): TopCount[] {
  const shares = { internal: 0.5, 'news.example.org': 0.2, 'search.example.com': 0.1 };
  const counts = Object.entries(shares).map(([key, share]) => ({ key, count: Math.floor(views * share) }));
  return counts.filter(({ count }) => count > 0);
}
