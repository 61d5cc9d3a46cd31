import mongoose, { type Connection, Schema } from 'mongoose';

/**
 * Data model of the published Express + mongoose case: posts contain the full content and the counters, and interactions and follows
 * have their own collections. It has the indexes of the case's optimized form.
 */
const userSchema = new Schema(
  {
    username: { type: String, required: true },
    fullName: { type: String, required: true },
    bio: { type: String, default: '' },
    profilePicture: { type: String, default: null },
    role: { type: String, default: 'user' },
    featuredPostIds: { type: [Schema.Types.ObjectId], default: [] },
    stats: {
      followersCount: { type: Number, default: 0 },
      followingCount: { type: Number, default: 0 },
      postsCount: { type: Number, default: 0 },
      likesReceivedCount: { type: Number, default: 0 },
    },
  },
  { timestamps: true, versionKey: false },
);
userSchema.index({ username: 1 }, { unique: true });

const authorSnapshot = { username: String, fullName: String, profilePicture: { type: String, default: null } };

const postSchema = new Schema(
  {
    title: { type: String, required: true },
    subtitle: { type: String, default: null },
    slug: { type: String, required: true },
    type: { type: String, required: true },
    tags: { type: [String], default: [] },
    content: { type: String, required: true },
    contentPreview: { type: String, required: true },
    readTime: { type: Number, default: 1 },
    thumbnailUrl: { type: String, default: null },
    isPublic: { type: Boolean, default: true },
    isEdited: { type: Boolean, default: false },
    author: { type: Schema.Types.ObjectId, ref: 'User', required: true },
    authorSnapshot,
    stats: {
      viewsCount: { type: Number, default: 0 },
      readsCount: { type: Number, default: 0 },
      likesCount: { type: Number, default: 0 },
      dislikesCount: { type: Number, default: 0 },
      sharesCount: { type: Number, default: 0 },
      commentsCount: { type: Number, default: 0 },
    },
    hotScore: { type: Number, default: 0 },
    contentEditedAt: { type: Date },
  },
  { timestamps: true, versionKey: false },
);
postSchema.index({ isPublic: 1, hotScore: -1, _id: -1 });
postSchema.index({ isPublic: 1, type: 1, hotScore: -1, _id: -1 });
postSchema.index({ isPublic: 1, tags: 1, hotScore: -1, _id: -1 });
postSchema.index({ author: 1, _id: -1 });

const commentSchema = new Schema(
  {
    postId: { type: Schema.Types.ObjectId, ref: 'Post', required: true },
    parentId: { type: Schema.Types.ObjectId, default: null },
    author: { type: Schema.Types.ObjectId, ref: 'User', required: true },
    authorSnapshot,
    content: { type: String, required: true, maxlength: 1000 },
    stats: {
      likesCount: { type: Number, default: 0 },
      dislikesCount: { type: Number, default: 0 },
      repliesCount: { type: Number, default: 0 },
    },
    isEdited: { type: Boolean, default: false },
    isVisible: { type: Boolean, default: true },
    deletedAt: { type: Date, default: null },
  },
  { timestamps: true, versionKey: false },
);
commentSchema.index({ postId: 1, parentId: 1, _id: -1 });

const interactionSchema = new Schema(
  {
    userId: { type: Schema.Types.ObjectId, required: true },
    targetId: { type: Schema.Types.ObjectId, required: true },
    targetModel: { type: String, required: true },
    type: { type: String, enum: ['like', 'dislike', 'save'], required: true },
  },
  { timestamps: true, versionKey: false },
);
interactionSchema.index({ userId: 1, targetId: 1, targetModel: 1, type: 1 }, { unique: true });

const followSchema = new Schema(
  {
    follower: { type: Schema.Types.ObjectId, required: true },
    following: { type: Schema.Types.ObjectId, required: true },
  },
  { timestamps: true, versionKey: false },
);
followSchema.index({ follower: 1, following: 1 }, { unique: true });
followSchema.index({ following: 1, _id: -1 });

export type CaseAModels = ReturnType<typeof caseAModels>;

function caseAModels(connection: Connection) {
  return {
    User: connection.model('User', userSchema, 'users'),
    Post: connection.model('Post', postSchema, 'posts'),
    Comment: connection.model('Comment', commentSchema, 'comments'),
    Interaction: connection.model('Interaction', interactionSchema, 'interactions'),
    Follow: connection.model('Follow', followSchema, 'follows'),
  };
}

export async function connectCaseA(
  mongoUri: string,
  database: string,
): Promise<{ connection: Connection; models: CaseAModels }> {
  const connection = await mongoose
    .createConnection(mongoUri, { dbName: database, maxPoolSize: 40, autoIndex: false })
    .asPromise();
  return { connection, models: caseAModels(connection) };
}
