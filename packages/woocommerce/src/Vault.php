<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Seals secrets with the salts of wp-config.php, so that a copy of the database alone does not give them away. */
final class Vault
{
    public static function seal(string $secret): string
    {
        $nonce = random_bytes(SODIUM_CRYPTO_SECRETBOX_NONCEBYTES);
        return base64_encode($nonce . sodium_crypto_secretbox($secret, $nonce, self::key()));
    }

    /** Null where the salts have changed since, or the text is none of ours. */
    public static function open(string $sealed): ?string
    {
        $bytes = base64_decode($sealed, true);
        if ($bytes === false || strlen($bytes) <= SODIUM_CRYPTO_SECRETBOX_NONCEBYTES) {
            return null;
        }
        $nonce = substr($bytes, 0, SODIUM_CRYPTO_SECRETBOX_NONCEBYTES);
        $opened = sodium_crypto_secretbox_open(substr($bytes, SODIUM_CRYPTO_SECRETBOX_NONCEBYTES), $nonce, self::key());
        return $opened === false ? null : $opened;
    }

    private static function key(): string
    {
        return hash('sha256', 'tilld-for-woocommerce' . wp_salt('auth'), true);
    }
}
