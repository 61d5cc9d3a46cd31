import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-fastify/multipart';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { allowLongUpload } from './long-uploads.js';
import { fileFieldOf, type FormRequest, type UploadRoute } from './request-rules.js';
import { addRouteConfig } from './route-config.js';

/** Runs after the guards, so that only a request with a token may take long. */
const LONG_UPLOAD: NestInterceptor = {
  intercept(context, next) {
    allowLongUpload(context.switchToHttp().getRequest<FastifyRequest>().raw);
    return next.handle();
  },
};

/** Accepts a multipart form with one file, which is streamed to disk. All other routes reject forms. */
export function AcceptsFile(field: string, maxBytes: number, description: string): MethodDecorator {
  const file = { type: 'string', format: 'binary', maxLength: maxBytes, description };
  // Rejects other form fields instead of ignoring them.
  const limits = { fileSize: maxBytes, files: 1, fields: 0, parts: 1, fieldNameSize: 100 };
  return applyDecorators(
    addRouteConfig({ acceptsFile: field } satisfies UploadRoute),
    UseInterceptors(LONG_UPLOAD, FileInterceptor(field, { limits })),
    ApiConsumes('multipart/form-data'),
    ApiBody({
      schema: { type: 'object', properties: { [field]: file }, required: [field], additionalProperties: false },
    }),
  );
}

/** Accepts a form and ignores its fields. */
export const IgnoresForm = (): MethodDecorator => addRouteConfig({ ignoresForm: true } satisfies UploadRoute);

/** The path of the uploaded file. The handler must delete it. @throws CodedError `unsupported_media_type`, `invalid_input` */
export const ReceivedFile = createParamDecorator((_: unknown, context: ExecutionContext): string => {
  const request = context.switchToHttp().getRequest<FormRequest>();
  if (request.isMultipart?.() !== true)
    throw new CodedError('unsupported_media_type', 'Send the file as multipart/form-data.');
  const path = request.file?.path;
  if (path !== undefined) return path;
  const field = fileFieldOf(request)!;
  throw new CodedError('invalid_input', `${field}: must be a file`, { fields: [{ field, message: 'must be a file' }] });
});
