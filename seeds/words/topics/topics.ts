import { COMPUTING } from './computing.js';
import { LIFE } from './life.js';
import { NATURE } from './nature.js';
import { SCIENCE } from './science.js';
import { SOCIETY } from './society.js';
import type { Topic } from './topic.js';

/** Subjects of posts. The text, the title, the first tags and the comments come from the same subject. */
export const TOPICS: readonly Topic[] = [...NATURE, ...SCIENCE, ...COMPUTING, ...SOCIETY, ...LIFE];

export const topicOf = (tag: string): number => TOPICS.findIndex((topic) => topic.tag === tag);
