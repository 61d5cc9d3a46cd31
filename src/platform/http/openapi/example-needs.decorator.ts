import { ApiExtension } from '@nestjs/swagger';

/** Says in the OpenAPI document what the examples of an operation need beside the demo data. */
export const ExampleNeeds = (what: string): MethodDecorator => ApiExtension('x-example-needs', what);
