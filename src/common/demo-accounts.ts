import { EXAMPLE } from './examples.js';

/** Accounts for signing in after seeding, the first users of a dataset. All other accounts have no credentials. */
export interface DemoAccount {
  username: string;
  fullName: string;
  bio: string;
  role: 'user' | 'moderator' | 'admin';
  email: string;
}

export const DEMO_PASSWORD = EXAMPLE.password;

const demo = (username: string, fullName: string, role: DemoAccount['role'], bio: string): DemoAccount => ({
  username,
  fullName,
  role,
  bio,
  email: `${username}@example.com`,
});

export const DEMO_ACCOUNTS: readonly DemoAccount[] = [
  demo('demo_writer', 'Wren Demo', 'user', 'Writes, edits and publishes. Try signing in as me.'),
  demo('demo_reader', 'Rui Demo', 'user', 'Reads, votes, saves and follows.'),
  demo('demo_moderator', 'Mo Demo', 'moderator', 'Moderates reported posts and comments.'),
  demo('demo_admin', 'Ada Demo', 'admin', 'Looks after the house.'),
];
