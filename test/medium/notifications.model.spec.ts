import fc from 'fast-check';
import { useApp } from '../support/app.js';
import { scale } from '../support/scale.js';
import type { Person } from '../support/world.js';
import { drainActivity } from '../support/verbs.js';

const PEOPLE = 4;
/** One post of each of the first accounts; the last account watches all posts. */
const POSTS = 2;
const WATCHER = PEOPLE - 1;
/** Mentions per day of a new account. */
const MENTIONS_OF_NEW = 20;

type Step =
  | { kind: 'like' | 'unlike'; who: number; post: number }
  | { kind: 'likeComment' | 'unlikeComment'; who: number; comment: number }
  | { kind: 'comment'; who: number; post: number; parent: number | null; names: number | null }
  | { kind: 'editComment'; comment: number; names: number | null }
  | { kind: 'uncomment'; comment: number }
  | { kind: 'follow' | 'unfollow' | 'mute' | 'unmute'; who: number; whom: number }
  | { kind: 'hidePost' | 'unhidePost'; who: number; post: number }
  | { kind: 'hide' | 'show' | 'deletePost'; post: number }
  | { kind: 'fold' }
  | { kind: 'read' | 'readOne' | 'unreadOne' | 'dismiss' | 'look'; who: number; at: number };

const who = fc.nat(PEOPLE - 1);
const post = fc.nat(POSTS - 1);
const comment = fc.nat(7);
const names: fc.Arbitrary<number | null> = fc.option(who, { nil: null });
const maybeComment: fc.Arbitrary<number | null> = fc.option(comment, { nil: null });
const oneOf = <const K extends string>(...kinds: K[]) => fc.constantFrom(...kinds);
const weighted = (weight: number, arbitrary: fc.Arbitrary<Step>) => ({ weight, arbitrary });
const anyStep = fc.oneof<fc.WeightedArbitrary<Step>[]>(
  weighted(5, fc.record({ kind: oneOf('like', 'like', 'unlike'), who, post })),
  weighted(3, fc.record({ kind: oneOf('likeComment', 'unlikeComment'), who, comment })),
  weighted(5, fc.record({ kind: oneOf('comment'), who, post, parent: maybeComment, names })),
  weighted(2, fc.record({ kind: oneOf('uncomment'), comment })),
  weighted(3, fc.record({ kind: oneOf('editComment'), comment, names })),
  weighted(3, fc.record({ kind: oneOf('follow', 'follow', 'unfollow'), who, whom: who })),
  weighted(2, fc.record({ kind: oneOf('mute', 'unmute'), who, whom: who })),
  weighted(2, fc.record({ kind: oneOf('hidePost', 'unhidePost'), who, post })),
  weighted(2, fc.record({ kind: oneOf('hide', 'show', 'show', 'deletePost'), post })),
  weighted(5, fc.constant<Step>({ kind: 'fold' })),
  weighted(4, fc.record({ kind: oneOf('read', 'readOne', 'unreadOne', 'dismiss', 'look'), who, at: fc.nat(4) })),
);

/** An action of an account on content; `order` is that of the rows. */
type Row = { by: number; on: string; order: number; kind: 'like' | 'comment' | 'follow' };
type Mention = { by: number; on: string; kind: 'mention'; whom: number };
type ModelComment = {
  id: string;
  by: number;
  post: number;
  parent: number | null;
  isDeleted: boolean;
  names: number | null;
};
type ModelPost = { id: string; author: number; isPublic: boolean; isDeleted: boolean };
type Group = { user: number; kind: string; target: string; since: number; fold: number; isRead: boolean };

/** Holds the expected notifications in plain lists. */
class Model {
  rows: Row[] = [];
  facts: (Row | Mention)[] = [];
  private readonly mentionsOf = new Map<number, number>();
  groups: Group[] = [];
  readonly comments: ModelComment[] = [];
  /** `who whom` */
  readonly muted = new Set<string>();
  /** `who post` */
  readonly hiddenPosts = new Set<string>();
  private order = 0;
  private folds = 0;

  constructor(readonly posts: ModelPost[]) {}

  add(kind: Row['kind'], by: number, on: string): void {
    if (this.find(kind, by, on) !== undefined && kind !== 'comment') return;
    const row = { kind, by, on, order: this.order++ };
    this.rows.push(row);
    this.facts.push(row);
  }

  /** Records that a written or edited comment names an account. */
  name(comment: ModelComment, whom: number | null): void {
    if (whom !== null && whom !== comment.names)
      this.facts.push({ kind: 'mention', by: comment.by, on: comment.id, whom });
    comment.names = whom;
  }

  remove(kind: Row['kind'], by: number, on: string): void {
    this.rows = this.rows.filter((row) => row !== this.find(kind, by, on));
  }

  private find(kind: Row['kind'], by: number, on: string): Row | undefined {
    return this.rows.find((row) => row.kind === kind && row.by === by && row.on === on);
  }

  canRead(user: number, at: number): boolean {
    const { author, isPublic, isDeleted } = this.posts[at]!;
    return !isDeleted && (isPublic || author === user);
  }

  commentOf(id: string): ModelComment | undefined {
    return this.comments.find((one) => one.id === id);
  }

  fold(): void {
    this.folds++;
    for (const fact of this.facts) {
      if (fact.kind === 'mention') {
        this.foldMention(fact);
        continue;
      }
      // A like that was removed and added again is a new row.
      const row = this.rows.find(({ kind, by, on }) => kind === fact.kind && by === fact.by && on === fact.on);
      if (row === undefined) continue;
      for (const { user, kind, target } of this.recipients(row)) {
        if (user === row.by || this.muted.has(`${user} ${row.by}`)) continue;
        const known = this.groups.find((one) => one.user === user && one.kind === kind && one.target === target);
        const since = Math.min(known?.since ?? row.order, row.order);
        if (known !== undefined) Object.assign(known, { since, fold: this.folds, isRead: false });
        else this.groups.push({ user, kind, target, since, fold: this.folds, isRead: false });
      }
    }
    this.facts = [];
  }

  /** Does not change existing groups, because each comment is its own notification. */
  private foldMention({ by, on, whom }: Mention): void {
    const count = this.mentionsOf.get(by) ?? 0;
    if (count >= MENTIONS_OF_NEW) return;
    this.mentionsOf.set(by, count + 1);
    const target = this.commentOf(on)!;
    const row = this.rows.find((one) => one.kind === 'comment' && one.on === on)!;
    if (target.isDeleted || target.names !== whom || whom === by || !this.canRead(whom, target.post)) return;
    if (this.muted.has(`${whom} ${by}`)) return;
    if (this.recipients(row).some(({ user }) => user === whom)) return;
    const group = { user: whom, kind: 'mention', target: on, since: row.order, fold: this.folds, isRead: false };
    const isKnown = this.groups.some((one) => one.user === whom && one.kind === 'mention' && one.target === on);
    if (!isKnown) this.groups.push(group);
  }

  private recipients({ kind, on }: Row): { user: number; kind: string; target: string }[] {
    if (kind === 'follow') return [{ user: Number(on), kind: 'follow', target: on }];
    const at = this.posts.findIndex(({ id }) => id === on);
    if (kind === 'like') {
      if (at >= 0) return [{ user: this.posts[at]!.author, kind: 'like_post', target: on }];
      return [{ user: this.commentOf(on)!.by, kind: 'like_comment', target: on }];
    }
    const written = this.commentOf(on)!;
    if (written.isDeleted) return [];
    const { id, author, isDeleted } = this.posts[written.post]!;
    if (isDeleted) return [];
    if (written.parent !== null) {
      const parent = this.comments[written.parent]!;
      const thread = parent.by === author ? [] : [{ user: author, kind: 'thread', target: id }];
      if (parent.isDeleted || !this.canRead(parent.by, written.post)) return thread;
      return [{ user: parent.by, kind: 'reply', target: parent.id }, ...thread];
    }
    const ofWatcher = this.canRead(WATCHER, written.post) ? [{ user: WATCHER, kind: 'watched', target: id }] : [];
    return [{ user: author, kind: 'comment', target: id }, ...ofWatcher];
  }

  /** Returns the accounts of a group, latest first. */
  actors({ user, kind, target, since }: Group): number[] {
    const ofGroup = this.rows.filter((row) => row.order >= since && row.by !== user && this.isOf(row, kind, target));
    const post = this.posts.findIndex(({ id }) => id === target);
    const about = this.commentOf(target);
    if (post >= 0 && !this.canRead(user, post)) return [];
    if (about !== undefined && (about.isDeleted || !this.canRead(user, about.post))) return [];
    const on = about?.post ?? post;
    if (on >= 0 && this.isHidden(user, on)) return [];
    const by = kind === 'mention' ? (about!.names === user ? [about!.by] : []) : ofGroup.reverse().map((row) => row.by);
    return [...new Set(by)].filter((actor) => !this.muted.has(`${user} ${actor}`));
  }

  /** Like lists of posts: without posts that the account has hidden, and those of authors that it has muted. */
  private isHidden(user: number, at: number): boolean {
    const { author } = this.posts[at]!;
    return author !== user && (this.hiddenPosts.has(`${user} ${at}`) || this.muted.has(`${user} ${author}`));
  }

  private isOf(row: Row, kind: string, target: string): boolean {
    if (kind === 'follow') return row.kind === 'follow' && row.on === target;
    if (kind.startsWith('like')) return row.kind === 'like' && row.on === target;
    if (row.kind !== 'comment') return false;
    const { isDeleted, parent, post } = this.commentOf(row.on)!;
    if (isDeleted) return false;
    if (kind === 'thread') return parent !== null && this.posts[post]!.id === target;
    return kind === 'reply'
      ? parent !== null && this.comments[parent]!.id === target
      : parent === null && this.posts[post]!.id === target;
  }

  /** Returns the groups of an account that show something now. The others stay, because they may show something again. */
  page(user: number): Group[] {
    return this.groups.filter((group) => group.user === user && this.actors(group).length > 0);
  }
}

describe('notifications after any history', () => {
  const app = useApp({ oneHost: 'the rows of one process are in the order of their ids' });
  const { world } = app;
  let people: Person[];
  let model: Model;

  const send = async (by: number, method: string, path: string, body?: object): Promise<any> => {
    const answer = await app.client.request(method, `/v1/${path}`, { token: people[by]!.token, body });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };

  const textWith = (who: number | null): string => (who === null ? 'hm' : `hm, @${people[who]!.username}`);

  /** Compares a page, walks it by every cursor, and returns the groups of the model in its order. */
  async function look(user: number): Promise<{ id: string; group: Group }[]> {
    const all = await send(user, 'GET', 'notifications?limit=50');
    const groups = model.page(user);
    const usernames = (ids: number[]): string[] => ids.map((id) => people[id]!.username);
    const expected = groups.map((group) => {
      const actors = model.actors(group);
      return { ...group, actors: usernames(actors.slice(0, 3)), actorsCount: actors.length };
    });
    const targetOf = ({ kind, post, comment }: any): string => {
      if (kind === 'follow') return String(user);
      if (kind === 'reply') return model.comments[model.commentOf(comment.id)!.parent!]!.id;
      return kind === 'like_comment' || kind === 'mention' ? comment.id : post.id;
    };
    const found = all.data.map((row: any) => {
      const target = targetOf(row);
      const match = expected.find((one) => one.kind === row.kind && one.target === target);
      const actors = row.actors.map(({ username }: { username: string }) => username);
      const { actorsCount, isRead, isCapped } = row;
      return { match, got: { kind: row.kind, target, actors, actorsCount, isRead, isCapped }, id: row.id as string };
    });
    const plain = (one: (typeof expected)[number]) => {
      const { kind, target, actors, actorsCount, isRead } = one;
      return { kind, target, actors, actorsCount, isRead, isCapped: false };
    };
    const keyed = (rows: { kind: string; target: string }[]) =>
      [...rows].sort((a, b) => `${a.kind} ${a.target}`.localeCompare(`${b.kind} ${b.target}`));
    expect(keyed(found.map(({ got }: any) => got))).toEqual(keyed(expected.map(plain)));
    const folds = found.map(({ match }: any) => match.fold as number);
    expect(folds).toEqual([...folds].sort((a, b) => b - a));
    expect(all.unread).toEqual({ count: expected.filter(({ isRead }) => !isRead).length, isCapped: false });
    expect(await send(user, 'GET', 'notifications/unread-count')).toEqual(all.unread);
    const unread = await send(user, 'GET', 'notifications?unread=true&limit=50');
    expect(unread.data).toEqual(all.data.filter(({ isRead }: any) => !isRead));
    const likes = await send(user, 'GET', 'notifications?kind=like_post&limit=50');
    expect(likes.data).toEqual(all.data.filter(({ kind }: any) => kind === 'like_post'));

    const walked: unknown[] = [];
    for (let cursor = ''; ;) {
      const { data, page } = await send(user, 'GET', `notifications?limit=1${cursor}`);
      walked.push(...data);
      if (page.nextCursor === null) break;
      cursor = `&cursor=${page.nextCursor}`;
    }
    expect(walked).toEqual(all.data);
    return found.map(({ match, id }: any) => {
      return { id, group: groups.find((one) => one.kind === match.kind && one.target === match.target)! };
    });
  }

  async function run(step: Step): Promise<void> {
    const { posts, comments } = model;
    switch (step.kind) {
      case 'fold':
        await drainActivity(app);
        return model.fold();
      case 'like':
      case 'unlike': {
        const { id } = posts[step.post]!;
        if (step.kind === 'unlike') {
          await send(step.who, 'DELETE', `posts/${id}/vote`);
          return model.remove('like', step.who, id);
        }
        if (!model.canRead(step.who, step.post)) return;
        await send(step.who, 'PUT', `posts/${id}/vote`, { value: 'like' });
        return model.add('like', step.who, id);
      }
      case 'likeComment':
      case 'unlikeComment': {
        const target = comments[step.comment];
        if (target === undefined || target.isDeleted || !model.canRead(step.who, target.post)) return;
        const isLike = step.kind === 'likeComment';
        await send(
          step.who,
          isLike ? 'PUT' : 'DELETE',
          `comments/${target.id}/vote`,
          isLike ? { value: 'like' } : undefined,
        );
        return isLike ? model.add('like', step.who, target.id) : model.remove('like', step.who, target.id);
      }
      case 'comment': {
        const parent = step.parent === null ? undefined : comments[step.parent];
        if (step.parent !== null && (parent === undefined || parent.isDeleted)) return;
        const on = parent?.post ?? step.post;
        if (!model.canRead(step.who, on)) return;
        const body = { content: textWith(step.names), parentId: parent?.id ?? null };
        const { id } = await send(step.who, 'POST', `posts/${posts[on]!.id}/comments`, body);
        const added = { id, by: step.who, post: on, parent: step.parent, isDeleted: false, names: null };
        comments.push(added);
        model.add('comment', step.who, id);
        return model.name(added, step.names);
      }
      case 'editComment': {
        const target = comments[step.comment];
        if (target === undefined || target.isDeleted || posts[target.post]!.isDeleted) return;
        await send(target.by, 'PATCH', `comments/${target.id}`, { content: textWith(step.names) });
        return model.name(target, step.names);
      }
      case 'uncomment': {
        const target = comments[step.comment];
        if (target === undefined || target.isDeleted || posts[target.post]!.isDeleted) return;
        await send(target.by, 'DELETE', `comments/${target.id}`);
        target.isDeleted = true;
        return;
      }
      case 'follow':
      case 'unfollow': {
        if (step.who === step.whom) return;
        const isFollow = step.kind === 'follow';
        await send(step.who, isFollow ? 'PUT' : 'DELETE', `users/${people[step.whom]!.username}/follow`);
        return isFollow
          ? model.add('follow', step.who, `${step.whom}`)
          : model.remove('follow', step.who, `${step.whom}`);
      }
      case 'mute':
      case 'unmute': {
        if (step.who === step.whom) return;
        const key = `${step.who} ${step.whom}`;
        const isMute = step.kind === 'mute';
        await send(
          step.who,
          isMute ? 'PUT' : 'DELETE',
          `users/${people[step.whom]!.username}/mute`,
          isMute ? {} : undefined,
        );
        if (isMute) model.muted.add(key);
        else model.muted.delete(key);
        return;
      }
      case 'hidePost':
      case 'unhidePost': {
        if (!model.canRead(step.who, step.post)) return;
        const isHidden = step.kind === 'hidePost';
        await send(step.who, isHidden ? 'PUT' : 'DELETE', `posts/${posts[step.post]!.id}/hide`);
        if (isHidden) model.hiddenPosts.add(`${step.who} ${step.post}`);
        else model.hiddenPosts.delete(`${step.who} ${step.post}`);
        return;
      }
      case 'hide':
      case 'show':
      case 'deletePost': {
        const target = posts[step.post]!;
        if (target.isDeleted) return;
        const by = people[target.author]!;
        if (step.kind === 'deletePost') await world.deletePost(target.id, { by });
        else await world.editPost(target.id, { by, isPublic: step.kind === 'show' });
        target.isDeleted = step.kind === 'deletePost';
        target.isPublic = step.kind === 'show';
        return;
      }
      case 'look':
      case 'read':
      case 'readOne':
      case 'unreadOne':
      case 'dismiss': {
        const shown = await look(step.who);
        const chosen = shown[step.at];
        if (step.kind === 'look' || chosen === undefined) return;
        const { id, group } = chosen;
        if (step.kind === 'read') {
          // The last row of the list stands for a request without a body.
          const unread = await send(step.who, 'PUT', 'notifications/read', step.at === 0 ? {} : { upTo: id });
          for (const one of shown.slice(step.at)) one.group.isRead = true;
          return expect(unread.count).toBe(shown.filter((one) => !one.group.isRead).length);
        }
        if (step.kind === 'dismiss') {
          await send(step.who, 'DELETE', `notifications/${id}`);
          model.groups = model.groups.filter((one) => one !== group);
          return;
        }
        await send(step.who, step.kind === 'readOne' ? 'PUT' : 'DELETE', `notifications/${id}/read`);
        group.isRead = step.kind === 'readOne';
      }
    }
  }

  it('are the page, the counts and the order that a plain model predicts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyStep, { minLength: 10, maxLength: 60 }), async (steps) => {
        people = await world.people(PEOPLE);
        const posts = await Promise.all(people.slice(0, POSTS).map((by) => world.post({ by })));
        model = new Model(posts.map(({ id }, author) => ({ id, author, isPublic: true, isDeleted: false })));
        for (const { id } of posts) await send(WATCHER, 'PUT', `posts/${id}/watch`, { level: 'watching' });
        for (const step of steps) await run(step);
        await run({ kind: 'fold' });
        for (let user = 0; user < PEOPLE; user++) await look(user);
      }),
      { numRuns: scale('notificationRuns'), endOnFailure: true },
    );
  });
});
