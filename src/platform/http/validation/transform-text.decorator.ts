import { Transform } from 'class-transformer';

/** Spaces that are cut off, and letters that compose from several, let a text that fits be longer before. */
const SLACK = 8;

/**
 * Changes a text before it is validated. One far longer than its limit is left for the validator to refuse: normalising can take time
 * that grows with the square of the length. @param max the limit the validator holds, in characters
 */
export function TransformText(max: number, change: (text: string) => string): PropertyDecorator {
  return Transform(({ value }: { value: unknown }) => changeText(value, max, change));
}

/** The same for one value; a value that is not text stays unchanged. */
export function changeText(value: unknown, max: number, change: (text: string) => string): unknown {
  return typeof value === 'string' && value.length <= SLACK * max ? change(value) : value;
}

export function trimAndCompose(text: string): string {
  return text.normalize('NFC').trim();
}
