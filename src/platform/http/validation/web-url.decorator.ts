import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { FILE_KEY, FILES_PATH } from '../../../common/own-files.js';
import { webUrl } from './text-rules.js';
import { TransformText } from './transform-text.decorator.js';

/** Characters that `URL` removes or encodes, so that the validated URL would differ from the input. */
const FORBIDDEN_IN_URL = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

type Protocol = 'https:' | 'http:';

/** The schema of an image URL. Only images of this server may have an http URL or a path. */
export const IMAGE_URL = {
  type: 'string',
  format: 'uri-reference',
  maxLength: webUrl('https').maxLength,
  pattern: `^(?:https?://\\S+|${FILES_PATH}/\\S+)$`,
};

/** Validates a web URL without credentials, and normalizes it with `URL`, so that the validated value is stored. */
export function IsWebUrl(...protocols: Protocol[]): PropertyDecorator {
  const schema = webUrl(protocols.length > 1 ? 'https?' : 'https');
  const { maxLength } = schema;
  const kind = protocols.length > 1 ? 'a web' : 'an https';
  return applyDecorators(
    TransformText(maxLength, (text) => parse(text, protocols)?.href ?? text),
    ValidateBy({
      name: 'isWebUrl',
      constraints: [schema],
      validator: {
        validate: (value) => typeof value === 'string' && value.length <= maxLength && parse(value, protocols) !== null,
        defaultMessage: () =>
          `$property must be ${kind} address of at most ${maxLength} characters, without credentials`,
      },
    }),
  );
}

/** Validates an https URL, which browsers may load from any page. */
export const IsHttpsUrl = (): PropertyDecorator => IsWebUrl('https:');

/** Validates an https URL, or the URL of a file of this server. Without TLS, as in development, files have a path or an http URL. */
export function IsImageUrl(): PropertyDecorator {
  const { maxLength } = IMAGE_URL;
  const keyOf = (text: string): string => text.slice(text.lastIndexOf('/') + 1);
  const isOwn = (text: string): boolean =>
    FILE_KEY.test(keyOf(text)) && (text === `${FILES_PATH}/${keyOf(text)}` || parse(text, ['http:']) !== null);
  return applyDecorators(
    TransformText(maxLength, (text) => parse(text, ['https:'])?.href ?? text),
    ValidateBy({
      name: 'isImageUrl',
      constraints: [IMAGE_URL],
      validator: {
        validate: (value) =>
          typeof value === 'string' && value.length <= maxLength && (parse(value, ['https:']) !== null || isOwn(value)),
        defaultMessage: () =>
          `$property must be an https address of at most ${maxLength} characters, without credentials, or the address of an image of yours`,
      },
    }),
  );
}

function parse(text: string, protocols: string[]): URL | null {
  if (FORBIDDEN_IN_URL.test(text) || !URL.canParse(text)) return null;
  const url = new URL(text);
  return protocols.includes(url.protocol) && url.username === '' && url.password === '' ? url : null;
}
