import type { Document, ObjectId } from 'mongodb';
import { type Rank, rankOf, WINDOW_DAYS } from './score.js';
import type { RankSlot } from './score-epoch.js';

const DAY_MS = 86_400_000;
/** the tie-break adds less than this to `top`; counters move it by at least 0.5 */
const TOP_TIE_RANGE = 0.25;
/** below this the digits of a score are not worth a logarithm: the row is sent, the formula decides */
const TINY = 1e-6;

/** What the formula needs of a post, and what the slot holds of it. */
export type ScoredPost = {
  _id: ObjectId;
  views: number;
  reads: number;
  shares: number;
  likes: number;
  dislikes: number;
  createdAt: Date;
  contentEditedAt: Date;
  hot: number;
  top: number;
  win: number;
};

/**
 * The listed posts whose rank in `slot` may not be what `now` makes of them. The server leaves out what certainly has not moved, so
 * that a run in which little moved reads much and sends little: 100,000 rows examined cost mongod 0.3 s and node nothing. Rows at
 * the edge of a rounding step come along; `newRank` decides. Natural order: by _id the same scan costs three times as much.
 */
export function movedPostsPipeline(slot: RankSlot, now: Date): Document[] {
  const stored = { hot: `$rank.hot${slot}`, top: `$rank.top${slot}`, win: `rank.win${slot}` };
  return [
    {
      $match: {
        isListed: true,
        $or: [
          ...WINDOW_DAYS.map((days, window) => ({
            [stored.win]: window,
            createdAt: { $lt: new Date(now.getTime() - days * DAY_MS) },
          })),
          { [stored.win]: null },
          { $expr: hasMoved(stored.hot, stored.top, now) },
        ],
      },
    },
    {
      $project: {
        views: '$stats.viewsCount',
        reads: '$stats.readsCount',
        shares: '$stats.sharesCount',
        likes: '$stats.likesCount',
        dislikes: '$stats.dislikesCount',
        createdAt: 1,
        contentEditedAt: 1,
        hot: stored.hot,
        top: stored.top,
        win: `$${stored.win}`,
      },
    },
  ];
}

/** The row's rank at `now`, or null when the slot holds it already. */
export function newRank(post: ScoredPost, now: Date): Rank | null {
  const stats = {
    viewsCount: post.views,
    readsCount: post.reads,
    sharesCount: post.shares,
    likesCount: post.likes,
    dislikesCount: post.dislikes,
  };
  const rank = rankOf(stats, post.createdAt, post.contentEditedAt, now, post._id);
  return rank.hot === post.hot && rank.top === post.top && rank.win === post.win ? null : rank;
}

/** The formula once more, as an expression of the server; a test holds the two together. */
function hasMoved(hot: string, top: string, now: Date): Document {
  const ageDays = {
    $divide: [{ $add: [{ $subtract: [now, '$createdAt'] }, { $subtract: [now, '$contentEditedAt'] }] }, 2 * DAY_MS],
  };
  const digits = { $subtract: [2, { $floor: { $log10: { $min: [{ $abs: '$$raw' }, { $abs: hot }] } } }] };
  const numerator = {
    $add: [
      { $multiply: ['$stats.viewsCount', 0.5] },
      { $multiply: ['$stats.readsCount', 2.5] },
      { $multiply: ['$stats.sharesCount', 4] },
      { $multiply: ['$stats.likesCount', 2] },
      1,
      { $multiply: ['$stats.dislikesCount', -1.5] },
    ],
  };
  const isHotMoved = {
    $let: {
      vars: { raw: { $divide: ['$$numerator', { $pow: [{ $add: [{ $max: [ageDays, 0] }, 2] }, 1.37] }] } },
      in: {
        $or: [
          { $lt: [{ $abs: '$$raw' }, TINY] },
          { $lt: [{ $abs: hot }, TINY] },
          { $lt: [{ $multiply: ['$$raw', hot] }, 0] },
          {
            $let: {
              vars: { digits },
              in: { $ne: [{ $round: ['$$raw', '$$digits'] }, { $round: [hot, '$$digits'] }] },
            },
          },
        ],
      },
    },
  };
  return {
    $let: {
      vars: { numerator },
      in: {
        $or: [
          { $lt: [top, '$$numerator'] },
          { $gte: [top, { $add: ['$$numerator', TOP_TIE_RANGE] }] },
          { $not: [{ $isNumber: hot }] },
          isHotMoved,
        ],
      },
    },
  };
}
