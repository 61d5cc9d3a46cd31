import { ValidateBy } from 'class-validator';

/** Counted as people count, in code points: an emoji is one, not two. Half a surrogate pair is no character at all. */
export function CodePoints(min: number, max: number): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    if (typeof value !== 'string' || value.length > 2 * max || /\p{Surrogate}/u.test(value)) return false;
    let count = value.length;
    for (let at = 0; at < value.length; at++) if (value.codePointAt(at)! > 0xffff) count--;
    return count >= min && count <= max;
  };
  const defaultMessage = (): string => `$property must be ${min} to ${max} well-formed characters`;
  return ValidateBy({ name: 'codePoints', validator: { validate, defaultMessage } });
}

/** An address a browser may load from any page: https, nobody's password in it. */
export function IsHttpsUrl(): PropertyDecorator {
  const validate = (value: unknown): boolean => {
    if (typeof value !== 'string' || value.length > 2_048 || !URL.canParse(value)) return false;
    const { protocol, username, password } = new URL(value);
    return protocol === 'https:' && username === '' && password === '';
  };
  const defaultMessage = (): string => '$property must be an https address of at most 2048 characters';
  return ValidateBy({ name: 'isHttpsUrl', validator: { validate, defaultMessage } });
}
