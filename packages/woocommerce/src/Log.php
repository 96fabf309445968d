<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** WooCommerce > Status > Logs, source `tilld`. Errors of the client carry no keys. */
final class Log
{
    public static function error(string $what, ?\Throwable $error = null): void
    {
        wc_get_logger()->error($what . self::reason($error), ['source' => GATEWAY]);
    }

    public static function warning(string $what, ?\Throwable $error = null): void
    {
        wc_get_logger()->warning($what . self::reason($error), ['source' => GATEWAY]);
    }

    public static function info(string $what): void
    {
        wc_get_logger()->info($what, ['source' => GATEWAY]);
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
