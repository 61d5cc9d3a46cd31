import { Types } from 'mongoose';
import type { CaseAModels } from './case-a.models.js';
import { type CommentRow, commentJson } from './wire.js';

type Vote = 'like' | 'dislike';
const COUNTER = { like: 'stats.likesCount', dislike: 'stats.dislikesCount' } as const;

/** Writes of the Express case: find the row, insert, change or delete it, then `$inc` the counter, each in a separate call. */
export class ExpressWrites {
  constructor(private readonly models: CaseAModels) {}

  async vote(userId: string, postId: string, value: Vote | null) {
    const { Interaction, Post } = this.models;
    const key = { userId, targetId: postId, targetModel: 'Post', type: { $in: ['like', 'dislike'] as Vote[] } };
    const existing = await Interaction.findOne(key).select('type').lean();
    const before = (existing?.type ?? null) as Vote | null;
    const changes: Record<string, number> = {};
    if (before !== value) {
      if (!existing) await Interaction.create({ userId, targetId: postId, targetModel: 'Post', type: value! });
      else if (value === null) await Interaction.deleteOne({ _id: existing._id });
      else await Interaction.updateOne({ _id: existing._id }, { $set: { type: value } });
      if (before) changes[COUNTER[before]] = -1;
      if (value) changes[COUNTER[value]] = 1;
    }
    const post = await Post.findByIdAndUpdate(postId, { $inc: changes }, { returnDocument: 'after', timestamps: false })
      .select('stats.likesCount stats.dislikesCount')
      .lean();
    if (!post) return null;
    const { likesCount, dislikesCount } = post.stats!;
    return { targetId: postId, value, stats: { likesCount, dislikesCount } };
  }

  async save(userId: string, postId: string, isSaved: boolean) {
    const { Interaction, Post } = this.models;
    if (!(await Post.exists({ _id: postId, isPublic: true }))) return null;
    const key = { userId, targetId: postId, targetModel: 'Post', type: 'save' as const };
    const existing = await Interaction.findOne(key).select('createdAt').lean();
    if (!isSaved) {
      if (existing) await Interaction.deleteOne({ _id: existing._id });
      return { postId, isSaved: false, savedAt: null };
    }
    const row = existing ?? (await Interaction.create(key));
    return { postId, isSaved: true, savedAt: row.createdAt };
  }

  async follow(userId: string, username: string, isFollowing: boolean) {
    const { Follow, User } = this.models;
    const target = await User.findOne({ username }).select('_id').lean();
    if (!target) return null;
    const pair = { follower: userId, following: target._id };
    const existing = await Follow.findOne(pair).select('_id').lean();
    let change = 0;
    if (isFollowing && !existing) {
      await Follow.create(pair);
      change = 1;
    } else if (!isFollowing && existing) {
      await Follow.deleteOne({ _id: existing._id });
      change = -1;
    }
    if (change !== 0)
      await User.updateOne({ _id: userId }, { $inc: { 'stats.followingCount': change } }, { timestamps: false });
    const user = await User.findByIdAndUpdate(
      target._id,
      { $inc: { 'stats.followersCount': change } },
      { returnDocument: 'after', timestamps: false },
    )
      .select('stats.followersCount')
      .lean();
    return { username, isFollowing, followersCount: user!.stats!.followersCount };
  }

  async comment(userId: string, postId: string, content: string, parentId: string | null) {
    const { Comment, Post, User } = this.models;
    if (!(await Post.exists({ _id: postId, isPublic: true }))) return null;
    const author = await User.findById(userId).select('username fullName profilePicture').lean();
    if (!author) return null;
    const comment = await Comment.create({
      postId,
      parentId,
      author: userId,
      authorSnapshot: { username: author.username, fullName: author.fullName, profilePicture: author.profilePicture },
      content,
    });
    await Post.updateOne({ _id: postId }, { $inc: { 'stats.commentsCount': 1 } }, { timestamps: false });
    if (parentId)
      await Comment.updateOne({ _id: parentId }, { $inc: { 'stats.repliesCount': 1 } }, { timestamps: false });
    return commentJson({ ...comment.toObject(), authorId: new Types.ObjectId(userId) } as unknown as CommentRow);
  }

  /** Counts every call with one `$inc`, as in the case. */
  async event(postId: string, kind: 'view' | 'read' | 'share') {
    const { matchedCount } = await this.models.Post.updateOne(
      { _id: postId, isPublic: true },
      { $inc: { [`stats.${kind}sCount`]: 1 } },
      { timestamps: false },
    );
    return matchedCount === 0 ? null : { counted: true };
  }
}
