import { ObjectId } from 'mongodb';
import { changedFields } from '../common/changed-fields.js';
import type { ResponsiveImage } from '../media/responsive-image.js';
import type { AuthorSnapshot } from '../users/author-snapshot.js';
import { readTimeMinutes, slugify } from '../rendering/post-text.js';
import type { ContentFormat } from './content-format.js';
import { rankBothSlots } from './score.js';
import type { Post } from './post.schema.js';
import { ofEachCounter, type PostStats } from './post-counters.js';
import type { PostType, Visibility } from './post-types.js';
import { LABELS, labelsOf, presentLabels, type StoredLabels } from './stored-labels.js';
import { requestedVisibility } from './visibility.js';

/** The fields that an author sets. This file computes the others. */
export type PostDraft = Partial<StoredLabels> & {
  title: string;
  content: string;
  type: PostType;
  isPublic?: boolean;
  visibility?: Visibility;
  isHistoryPublic?: boolean;
};

/** The input of a client. */
export type PostInput = PostDraft & { thumbnailMediaId?: string | null; contentFormat?: ContentFormat };

/** The card fields that are computed from the text. */
export type TextOfPost = { preview: string; words: number; mentions: readonly string[] };

const NO_STATS: Readonly<PostStats> = ofEachCounter(0);

/** Creates the card of a new post. */
export function newPost(
  id: ObjectId,
  authorId: ObjectId,
  authorSnapshot: AuthorSnapshot,
  draft: PostDraft,
  text: TextOfPost,
  thumbnail: ResponsiveImage | undefined,
  { now, publishedAt: createdAt = now }: { now: Date; publishedAt?: Date | undefined },
  isLimited = false,
): Post {
  const { isPublic = true, isUnlisted = isLimited } = limited(requestedVisibility(draft), isLimited);
  return {
    _id: id,
    ...presentLabels(draft),
    type: draft.type,
    slug: slugify(draft.title),
    contentPreview: text.preview,
    readTime: readTimeMinutes(text.words),
    ...(thumbnail === undefined ? {} : { thumbnail }),
    isPublic,
    ...(isUnlisted ? { isUnlisted } : {}),
    isEdited: false,
    isDraft: !isPublic,
    isLocked: false,
    isHistoryPublic: draft.isHistoryPublic ?? false,
    isListed: isPublic && !isUnlisted,
    authorId,
    mentions: text.mentions.map((user) => new ObjectId(user)),
    authorSnapshot,
    stats: { ...NO_STATS },
    visitors: { reads: 0, shares: 0, likes: 0, dislikes: 0 },
    rank: rankBothSlots(NO_STATS, createdAt, createdAt, now, id),
    version: 1,
    createdAt,
    contentEditedAt: createdAt,
    updatedAt: now,
    deletedAt: null,
  };
}

const EDITABLE = [...LABELS, 'isPublic', 'isUnlisted', 'isHistoryPublic'] as const;

/** The fields that an edit is compared with. */
type EditableRow = Pick<Post, (typeof EDITABLE)[number] | '_id' | 'version' | 'isListed' | 'isDraft' | 'stats'>;

/**
 * Returns the changed fields of the card, or null if nothing changes.
 * @param text computed from the new Markdown, if it differs from the stored Markdown
 * @param isLimited whether the author is limited, if the draft has a visibility
 */
export function editedFields(
  row: EditableRow,
  draft: Partial<PostDraft>,
  text: TextOfPost | undefined,
  now: Date,
  isLimited = false,
): Partial<Post> | null {
  const { isUnlisted = false } = row;
  const requested = { ...draft, ...limited(requestedVisibility(draft), isLimited) };
  const changes: Partial<Post> = changedFields({ ...labelsOf(row), ...row, isUnlisted }, requested, EDITABLE);
  if (changes.title !== undefined) changes.slug = slugify(changes.title);
  if (changes.title !== undefined || changes.subtitle !== undefined) changes.isEdited = true;
  if (text !== undefined) {
    changes.contentPreview = text.preview;
    changes.readTime = readTimeMinutes(text.words);
    changes.mentions = text.mentions.map((user) => new ObjectId(user));
    changes.isEdited = true;
    changes.contentEditedAt = now;
  }
  if (changes.isPublic && row.isDraft) Object.assign(changes, firstPublication(row, now));
  const next = { isPublic: row.isPublic, isUnlisted, ...changes };
  const isListed = next.isPublic && !next.isUnlisted;
  if (isListed !== row.isListed) changes.isListed = isListed;
  if (Object.keys(changes).length === 0) return null;
  return { ...changes, updatedAt: now, version: row.version + 1 };
}

/** Returns the stored form of a visibility: a public post of a limited account is stored as unlisted, too, so that it leaves lists. */
function limited(requested: ReturnType<typeof requestedVisibility>, isLimited: boolean): typeof requested {
  return isLimited && requested.isPublic === true ? { isPublic: true, isUnlisted: true } : requested;
}

/** Whether an edit changes visible fields other than the Markdown. Such an edit stores the previous version. */
export function changesLabels(changes: Partial<Post>): boolean {
  return LABELS.some((field) => field in changes);
}

/** Returns the fields of a first publication: its time, ranks at this time, and no earlier edits. */
function firstPublication({ _id, stats }: EditableRow, now: Date): Partial<Post> {
  const rank = rankBothSlots(stats, now, now, now, _id);
  return { isDraft: false, isEdited: false, createdAt: now, contentEditedAt: now, rank };
}
