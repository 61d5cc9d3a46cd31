import type { Document } from 'mongodb';

export type Thing = {
  create: { operation: string; path: (postId: string) => string; body: (mark: string) => object; isKeyed: boolean };
  edit: { operation: string; body: (mark: string) => object };
  remove: string;
  /** The owner reads, edits and deletes it here. */
  path: (id: string) => string;
  /** where the owner reads it, if not at `path` */
  list?: string;
  collection: string;
  /** the field of the row with the mark */
  field: string;
};

const text = (mark: string) => ({ title: mark, content: `# ${mark}\n\nWritten while things break.`, type: 'article' });

/** Rows of one account that it creates, edits and deletes. A mark in the text identifies each. */
export const THINGS = {
  post: {
    create: {
      operation: 'createPost',
      path: () => '/v1/posts',
      body: (mark) => ({ ...text(mark), tags: ['faults'] }),
      isKeyed: true,
    },
    edit: { operation: 'updatePost', body: (title) => ({ title }) },
    remove: 'deletePost',
    path: (id) => `/v1/posts/${id}`,
    collection: 'posts',
    field: 'title',
  },
  comment: {
    create: {
      operation: 'createComment',
      path: (postId) => `/v1/posts/${postId}/comments`,
      body: (content) => ({ content }),
      isKeyed: true,
    },
    edit: { operation: 'editComment', body: (content) => ({ content }) },
    remove: 'deleteComment',
    path: (id) => `/v1/comments/${id}`,
    collection: 'comments',
    field: 'content',
  },
  collection: {
    create: {
      operation: 'createCollection',
      path: () => '/v1/collections',
      body: (title) => ({ title, kind: 'list' }),
      isKeyed: true,
    },
    edit: { operation: 'updateCollection', body: (title) => ({ title }) },
    remove: 'deleteCollection',
    path: (id) => `/v1/collections/${id}`,
    collection: 'collections',
    field: 'title',
  },
  draft: {
    create: { operation: 'createDraft', path: () => '/v1/drafts', body: text, isKeyed: true },
    edit: { operation: 'saveDraft', body: (title) => ({ title }) },
    remove: 'deleteDraft',
    path: (id) => `/v1/drafts/${id}`,
    collection: 'drafts',
    field: 'title',
  },
  filter: {
    create: {
      operation: 'createFilter',
      path: () => '/v1/users/me/filters',
      body: (phrase) => ({ phrase, in: ['posts'], action: 'warn' }),
      isKeyed: false,
    },
    edit: { operation: 'updateFilter', body: (phrase) => ({ phrase }) },
    remove: 'deleteFilter',
    path: (id) => `/v1/users/me/filters/${id}`,
    list: '/v1/users/me/filters',
    collection: 'content_filters',
    field: 'phrase',
  },
} satisfies Record<string, Thing>;
export type ThingKind = keyof typeof THINGS;

/** Whether readers see the row: a deleted post, comment or collection keeps it for a while, and the draft of a deleted post is its trash. */
export function isLiveRow(row: Document | undefined): boolean {
  return row !== undefined && (row['deletedAt'] ?? null) === null && row['state'] !== 'trashed';
}
