<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** WooCommerce > Status > Logs, source `tilld`; PHP's own log while WooCommerce is not loaded. Errors of the client carry no keys. */
final class Log
{
    public static function error(string $what, ?\Throwable $error = null): void
    {
        self::write('error', $what . self::reason($error));
    }

    public static function warning(string $what, ?\Throwable $error = null): void
    {
        self::write('warning', $what . self::reason($error));
    }

    public static function info(string $what): void
    {
        self::write('info', $what);
    }

    private static function write(string $level, string $text): void
    {
        if (function_exists('wc_get_logger')) {
            wc_get_logger()->log($level, $text, ['source' => GATEWAY]);
            return;
        }
        // phpcs:ignore WordPress.PHP.DevelopmentFunctions.error_log_error_log -- on uninstall WooCommerce may be gone
        error_log("tilld {$level}: {$text}");
    }

    private static function reason(?\Throwable $error): string
    {
        if ($error === null) {
            return '';
        }
        $request = $error instanceof \Tilld\TilldException && $error->requestId !== null ? ", request {$error->requestId}" : '';
        return ": {$error->getCode()} {$error->getMessage()}{$request}";
    }
}
