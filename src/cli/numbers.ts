import { InvalidArgumentError } from 'commander';

/** Parses an option. Refuses `Infinity` and text that is not a number. @throws InvalidArgumentError */
export function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0 && Number.isFinite(value))) throw new InvalidArgumentError('It must be a number above 0.');
  return value;
}

/** @throws InvalidArgumentError */
export function wholeNumber(text: string): number {
  const value = Number(text);
  if (!/^\d{1,9}$/.test(text) || value < 1) throw new InvalidArgumentError('It must be a whole number from 1.');
  return value;
}
