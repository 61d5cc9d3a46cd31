import { ApiProperty } from '@nestjs/swagger';

/** An account as everything it wrote shows it. */
export class AuthorDto {
  @ApiProperty({ pattern: '^[0-9a-f]{24}$', example: '6650c3a2f1d2b3c4d5e6f708' })
  id!: string;

  @ApiProperty({ example: 'ada_lovelace' })
  username!: string;

  @ApiProperty({ example: 'Ada Lovelace' })
  fullName!: string;

  @ApiProperty({ type: String, format: 'uri', nullable: true, example: 'https://images.example.org/ada.jpg' })
  profilePicture!: string | null;
}
