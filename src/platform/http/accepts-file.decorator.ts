import { applyDecorators, createParamDecorator, type ExecutionContext, UseInterceptors } from '@nestjs/common';
import { FileInterceptor } from '@nestjs/platform-fastify/multipart';
import { ApiBody, ApiConsumes } from '@nestjs/swagger';
import type { FastifyRequest } from 'fastify';
import { CodedError } from '../../common/errors.js';
import { addRouteConfig } from './route-config.js';

/** The error message for an unsupported content type. */
export const MEDIA_TYPES = 'Send the body as application/json, a file as multipart/form-data.';

type UploadRoute = { acceptsFile?: string; ignoresForm?: true };
/** The fields that Nest's interceptor adds to a multipart request. */
type FormRequest = Pick<FastifyRequest, 'routeOptions'> & { isMultipart?: () => boolean; file?: { path?: string } };

/** Accepts a multipart form with one file, which is streamed to disk. All other routes reject forms. */
export function AcceptsFile(field: string, maxBytes: number, description: string): MethodDecorator {
  const file = { type: 'string', format: 'binary', maxLength: maxBytes, description };
  // Rejects other form fields instead of ignoring them.
  const limits = { fileSize: maxBytes, files: 1, fields: 0, parts: 1, fieldNameSize: 100 };
  return applyDecorators(
    addRouteConfig({ acceptsFile: field } satisfies UploadRoute),
    UseInterceptors(FileInterceptor(field, { limits })),
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
  const field = fieldOf(request)!;
  throw new CodedError('invalid_input', `${field}: must be a file`, { fields: [{ field, message: 'must be a file' }] });
});

export function ignoresForm({ routeOptions }: FastifyRequest): boolean {
  return (routeOptions.config as UploadRoute).ignoresForm === true;
}

/** Whether the body is a form and its route does not accept forms. */
export function isUnwantedForm(request: FastifyRequest): boolean {
  const isForm = (request as unknown as FormRequest).isMultipart?.() === true;
  return isForm && fieldOf(request) === undefined && !ignoresForm(request);
}

function fieldOf({ routeOptions }: Pick<FastifyRequest, 'routeOptions'>): string | undefined {
  return (routeOptions.config as UploadRoute).acceptsFile;
}
