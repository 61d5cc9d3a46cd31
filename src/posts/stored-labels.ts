import { Prop, Schema } from '@nestjs/mongoose';
import type { PostType } from './post-types.js';

/** The labels of a text in a row: what its author sets beside the Markdown. Only a draft may lack a type. */
@Schema()
export class StoredLabels {
  @Prop() title!: string;
  @Prop({ type: String }) subtitle?: string | null;
  @Prop({ type: String, default: null }) type!: PostType | null;
  @Prop({ type: [String], required: true }) tags!: string[];
  /** a path for a file of this server */
  @Prop({ type: String, default: null }) thumbnailUrl!: string | null;
  /** the URL of the first publication elsewhere */
  @Prop({ type: String }) canonicalUrl?: string | null;
}

type Label = keyof StoredLabels;
type Labels = Required<StoredLabels>;

const NO_LABELS: Readonly<Labels> = {
  title: '',
  subtitle: null,
  type: null,
  tags: [],
  thumbnailUrl: null,
  canonicalUrl: null,
};
export const LABELS = Object.keys(NO_LABELS) as Label[];
/** absent means null */
export const OPTIONAL_LABELS = ['subtitle', 'canonicalUrl'] as const satisfies Label[];
export const LABEL_PROJECTION = Object.fromEntries(LABELS.map((label) => [label, 1])) as Record<Label, 1>;

export function labelsOf(text: Partial<StoredLabels>): Labels {
  return Object.fromEntries(LABELS.map((label) => [label, text[label] ?? NO_LABELS[label]])) as Labels;
}

/** Returns the labels without those that are null and may be absent. */
export function presentLabels(text: Partial<StoredLabels>): StoredLabels {
  const labels: StoredLabels = labelsOf(text);
  for (const label of OPTIONAL_LABELS) if (labels[label] === null) delete labels[label];
  return labels;
}

/** Writes each value as JSON, which is YAML. The text after the second line of dashes is unchanged. */
export function frontMatter(fields: object): string {
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `---\n${lines.join('')}---\n`;
}
