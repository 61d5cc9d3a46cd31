import { applyDecorators, HttpCode } from '@nestjs/common';
import { ApiNoContentResponse } from '@nestjs/swagger';

/** For a route that responds with 204, without a body. */
export function NoContent(description = ''): MethodDecorator {
  return applyDecorators(HttpCode(204), ApiNoContentResponse({ description }));
}
