import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { HTTPS_URL } from './text-rules.js';
import { TransformText } from './transform-text.decorator.js';

/** `URL` takes some of these out and encodes others, so that what was checked is not what was sent. */
const NOT_IN_AN_ADDRESS = /[\p{Cc}\p{Cs}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/u;

const MAX = HTTPS_URL.maxLength;

/** An address a browser may load from any page: https, without a password. Kept as `URL` writes it: what is checked is what is stored. */
export function IsHttpsUrl(): PropertyDecorator {
  return applyDecorators(
    TransformText(MAX, (text) => parse(text)?.href ?? text),
    ValidateBy({
      name: 'isHttpsUrl',
      constraints: [HTTPS_URL],
      validator: {
        validate: (value) => typeof value === 'string' && value.length <= MAX && parse(value) !== null,
        defaultMessage: () => `$property must be an https address of at most ${MAX} characters, without credentials`,
      },
    }),
  );
}

function parse(text: string): URL | null {
  if (NOT_IN_AN_ADDRESS.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url : null;
}
