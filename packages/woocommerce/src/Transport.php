<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

use Tilld\ConnectionException;

defined('ABSPATH') || exit;

/** Requests by the HTTP API of WordPress, so that a proxy that the site is set up with is used. */
final class Transport
{
    /** Four times a full page of events. */
    private const MAX_BYTES = 8388608;

    public function __invoke(string $method, string $url, array $headers, ?string $body, float $timeout): array
    {
        $answer = wp_remote_request($url, [
            'method' => $method,
            'headers' => $headers,
            'body' => $body,
            'timeout' => $timeout,
            'redirection' => 0,
            'limit_response_size' => self::MAX_BYTES,
        ]);
        if (is_wp_error($answer)) {
            $isTimeout = stripos($answer->get_error_message(), 'timed out') !== false;
            // phpcs:ignore WordPress.Security.EscapeOutput.ExceptionNotEscaped -- goes to the log, and is escaped where a page shows it
            throw new ConnectionException($isTimeout ? 'TIMED_OUT' : 'NO_ANSWER', $answer->get_error_message());
        }
        $received = [];
        foreach (['x-request-id', 'retry-after'] as $name) {
            $value = wp_remote_retrieve_header($answer, $name);
            if (is_string($value) && $value !== '') {
                $received[$name] = $value;
            }
        }
        $status = (int) wp_remote_retrieve_response_code($answer);
        return ['status' => $status, 'headers' => $received, 'body' => wp_remote_retrieve_body($answer)];
    }
}
