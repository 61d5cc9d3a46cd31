import { ApiProperty } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsIn, IsInt, IsObject, Max, Min, ValidateNested } from 'class-validator';
import { IsCookieWanted } from '../../refresh-cookie.js';
import { RESPONSE_SCHEMAS } from '../../../platform/http/openapi/response-schemas.js';
import { IsTitle } from '../../../platform/http/validation/line.decorator.js';
import { IsText, OptionalField, NullableField } from '../../../platform/http/validation/text-rules.js';
import { TransformText } from '../../../platform/http/validation/transform-text.decorator.js';

/** The maximum of passkeys per account. */
export const MAX_PASSKEYS = 20;
const MAX_NAME = 60;
/** WebAuthn allows ids of 1,023 bytes; authenticators for passkeys use a few dozen. */
const MAX_ID = 700;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const CHALLENGE = { type: 'string', minLength: 43, maxLength: 43, pattern: '^[A-Za-z0-9_-]{43}$' } as const;
const CHALLENGE_EXAMPLE = 'dQ2v7b1Yk0x3mVfJ2x8V6o3wq1rV7c1ZxPZ1m0cQ0bU';
const ID_EXAMPLE = 'yqQ1n5b0xk6Gx2cQ9v8b7A';
const CREDENTIAL_ID = { type: 'string', maxLength: MAX_ID, pattern: BASE64URL.source, example: ID_EXAMPLE } as const;

function IsBase64Url(max: number): PropertyDecorator {
  return IsText({ min: 1, max, pattern: BASE64URL, message: `must be 1 to ${max} characters of base64url` });
}

/** The common fields of both kinds of `PublicKeyCredential.toJSON()`. */
class CredentialBody {
  @ApiProperty({ description: 'of the credential, base64url', example: ID_EXAMPLE })
  @IsBase64Url(MAX_ID)
  id!: string;

  @ApiProperty({ description: 'the same as `id`', example: ID_EXAMPLE })
  @IsBase64Url(MAX_ID)
  rawId!: string;

  @ApiProperty({ type: String, example: 'public-key' })
  @IsIn(['public-key'])
  type!: 'public-key';

  @NullableField({ type: String, nullable: true, description: 'ignored', example: 'platform' })
  @IsText({ min: 1, max: 20, message: 'must be 1 to 20 characters' })
  authenticatorAttachment?: string | null;

  @OptionalField({ type: 'object', additionalProperties: true, description: 'ignored', example: {} })
  @IsObject()
  clientExtensionResults?: object;
}

class RegistrationResponse {
  @ApiProperty({ description: 'base64url', example: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0' })
  @IsBase64Url(4_000)
  clientDataJSON!: string;

  @ApiProperty({ description: 'base64url', example: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YQ' })
  @IsBase64Url(20_000)
  attestationObject!: string;

  @OptionalField({ example: ['internal', 'hybrid'] })
  @IsArray()
  @ArrayMaxSize(10)
  @IsText({ min: 1, max: 20, pattern: /^[a-z-]+$/, message: 'must be names of transports' }, { each: true })
  transports?: string[];

  @OptionalField({ description: 'ignored: `attestationObject` contains it', example: 'SZYN5YgOjGh0NBcPZHZgW4' })
  @IsBase64Url(20_000)
  authenticatorData?: string;

  @OptionalField({ description: 'ignored: `attestationObject` contains it', example: 'MFkwEwYHKoZIzj0CAQYI' })
  @IsBase64Url(4_000)
  publicKey?: string;

  @OptionalField({ description: 'ignored: `attestationObject` contains it', example: -7 })
  @Min(-65_536)
  @Max(0)
  @IsInt()
  publicKeyAlgorithm?: number;
}

/** RegistrationResponseJSON of WebAuthn, and a name. */
export class AddPasskeyBody extends CredentialBody {
  @ApiProperty()
  @IsObject()
  @ValidateNested()
  @Type(() => RegistrationResponse)
  response!: RegistrationResponse;

  @OptionalField({ description: 'name that its owner chose', default: 'Passkey', example: 'Phone' })
  @TransformText(MAX_NAME, (text) => text.trim())
  @IsTitle(MAX_NAME)
  name?: string;
}

export class RenamePasskeyBody {
  @ApiProperty({ description: 'name that its owner chose', example: 'Phone' })
  @TransformText(MAX_NAME, (text) => text.trim())
  @IsTitle(MAX_NAME)
  name!: string;
}

class AuthenticationResponse {
  @ApiProperty({ description: 'base64url', example: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0' })
  @IsBase64Url(4_000)
  clientDataJSON!: string;

  @ApiProperty({ description: 'base64url', example: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ' })
  @IsBase64Url(4_000)
  authenticatorData!: string;

  @ApiProperty({ description: 'base64url', example: 'MEUCIQDz0b1kW7xYw2b3v8n5q6r7s8t9u0v1w2x3y4z5A6B7Cw' })
  @IsBase64Url(2_000)
  signature!: string;

  @NullableField({ type: String, nullable: true, description: 'ignored', example: 'ZlDDovHSs8TV5vcI' })
  @IsBase64Url(200)
  userHandle?: string | null;
}

/** AuthenticationResponseJSON of WebAuthn. */
export class PasskeyLoginBody extends CredentialBody {
  @ApiProperty()
  @IsObject()
  @ValidateNested()
  @Type(() => AuthenticationResponse)
  response!: AuthenticationResponse;

  @IsCookieWanted()
  cookie?: boolean;
}

class RelyingPartyDto {
  @ApiProperty({ maxLength: 253, example: 'example.org' })
  id!: string;

  @ApiProperty({ maxLength: 60, example: 'OpenCanvas' })
  name!: string;
}

class PasskeyUserDto {
  @ApiProperty({ minLength: 16, maxLength: 16, pattern: '^[A-Za-z0-9_-]{16}$', example: 'ZlDDovHSs8TV5vcI' })
  id!: string;

  @ApiProperty({ maxLength: 64, example: 'ada_lovelace' })
  name!: string;

  @ApiProperty({ maxLength: 200, example: 'Ada Lovelace' })
  displayName!: string;
}

class KeyParametersDto {
  @ApiProperty({ enum: ['public-key'], example: 'public-key' })
  type!: string;

  @ApiProperty({ type: 'integer', format: 'int32', minimum: -65_536, maximum: 0, example: -7 })
  alg!: number;
}

class KnownCredentialDto {
  @ApiProperty({ enum: ['public-key'], example: 'public-key' })
  type!: string;

  @ApiProperty(CREDENTIAL_ID)
  id!: string;
}

class AuthenticatorSelectionDto {
  @ApiProperty({ enum: ['required'], example: 'required' })
  residentKey!: string;

  @ApiProperty({ example: true })
  requireResidentKey!: boolean;

  @ApiProperty({ enum: ['required'], example: 'required' })
  userVerification!: string;
}

const TIMEOUT = { type: 'integer', format: 'int32', minimum: 0, maximum: 600_000, example: 300_000 } as const;

/** PublicKeyCredentialCreationOptionsJSON of WebAuthn. */
export class PasskeyCreationOptionsDto {
  @ApiProperty({ ...CHALLENGE, example: CHALLENGE_EXAMPLE })
  challenge!: string;

  @ApiProperty()
  rp!: RelyingPartyDto;

  @ApiProperty()
  user!: PasskeyUserDto;

  @ApiProperty({ type: [KeyParametersDto], maxItems: 10 })
  pubKeyCredParams!: KeyParametersDto[];

  @ApiProperty(TIMEOUT)
  timeout!: number;

  @ApiProperty({
    type: [KnownCredentialDto],
    maxItems: MAX_PASSKEYS,
    description: 'authenticators that already have a passkey of this account',
  })
  excludeCredentials!: KnownCredentialDto[];

  @ApiProperty()
  authenticatorSelection!: AuthenticatorSelectionDto;

  @ApiProperty({ enum: ['none'], example: 'none' })
  attestation!: string;
}

/** PublicKeyCredentialRequestOptionsJSON of WebAuthn. */
export class PasskeyRequestOptionsDto {
  @ApiProperty({ ...CHALLENGE, example: CHALLENGE_EXAMPLE })
  challenge!: string;

  @ApiProperty({ maxLength: 253, example: 'example.org' })
  rpId!: string;

  @ApiProperty(TIMEOUT)
  timeout!: number;

  @ApiProperty({ enum: ['required'], example: 'required' })
  userVerification!: string;
}

export class PasskeyDto {
  @ApiProperty({ ...RESPONSE_SCHEMAS.id, example: '6650c3a2f1d2b3c4d5e6f708' })
  id!: string;

  @ApiProperty({ maxLength: MAX_NAME, example: 'Phone' })
  name!: string;

  @ApiProperty({ ...RESPONSE_SCHEMAS.time, example: '2026-03-01T09:30:00.000Z' })
  createdAt!: string;

  @ApiProperty({
    ...RESPONSE_SCHEMAS.time,
    nullable: true,
    description: 'time of the last use; null if it was never used',
    example: '2026-03-02T08:00:00.000Z',
  })
  lastUsedAt!: string | null;
}

export class PasskeysDto {
  @ApiProperty({ type: [PasskeyDto], maxItems: MAX_PASSKEYS, description: 'oldest first' })
  data!: PasskeyDto[];
}
