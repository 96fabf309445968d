<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** Settings of how customers pay, and of what becomes of an order then. */
final class PaymentSettings
{
    public const MAX_CONFIRMATIONS = 1000;
    /** WooCommerce cuts the text of a choice at 400 pixels. */
    private const WHOLE_TEXT = 'width: 100%; max-width: 680px';

    /** Fields for the form of the gateway. */
    public static function fields(): array
    {
        return [
            'methods' => [
                'title' => __('Payment methods', 'tilld-for-woocommerce'),
                'type' => 'select',
                'css' => self::WHOLE_TEXT,
                'options' => [
                    'one' => __('One for all coins: the customer chooses the coin when paying', 'tilld-for-woocommerce'),
                    'coins' => __('One for each coin, with its own title and switch in the list of payment methods', 'tilld-for-woocommerce'),
                ],
                'default' => 'one',
            ],
            'payment_page' => [
                'title' => __('Payment page', 'tilld-for-woocommerce'),
                'type' => 'select',
                'css' => self::WHOLE_TEXT,
                'options' => [
                    'in_place' => __('Over a page of this shop, where tilld allows that', 'tilld-for-woocommerce'),
                    'tilld' => __('On the page of tilld', 'tilld-for-woocommerce'),
                ],
                'description' => __('If a browser cannot open it over your page, the customer goes to the page of tilld.', 'tilld-for-woocommerce'),
                'default' => 'in_place',
            ],
            'seen_status' => [
                'title' => __('Order while the network confirms', 'tilld-for-woocommerce'),
                'type' => 'select',
                'css' => self::WHOLE_TEXT,
                'options' => [
                    'on-hold' => __('On hold', 'tilld-for-woocommerce'),
                    'processing' => __('Processing: you deliver before the payment is final, at your own risk', 'tilld-for-woocommerce'),
                ],
                'default' => 'on-hold',
            ],
            'paid_status' => [
                'title' => __('Order once it is paid', 'tilld-for-woocommerce'),
                'type' => 'select',
                'css' => self::WHOLE_TEXT,
                'options' => [
                    '' => __('Chosen by WooCommerce: Completed if nothing has to be delivered, otherwise Processing', 'tilld-for-woocommerce'),
                    'processing' => __('Processing', 'tilld-for-woocommerce'),
                    'completed' => __('Completed', 'tilld-for-woocommerce'),
                ],
                'default' => '',
            ],
        ] + self::confirmationFields();
    }

    public static function isInPlace(): bool
    {
        return Gateway::setting('payment_page', 'in_place') === 'in_place';
    }

    /** @return array<string, int> confirmations by coin, where the shop wants more than tilld does */
    public static function confirmations(): array
    {
        $asked = [];
        foreach (array_keys(Methods::COINS) as $coin) {
            $number = self::confirmationsFrom(Gateway::setting(self::fieldOf($coin)));
            if ($number !== null) {
                $asked[$coin] = $number;
            }
        }
        return $asked;
    }

    /** @return ?int null: not a number that tilld takes */
    public static function confirmationsFrom(string $text): ?int
    {
        $text = trim($text);
        $number = ctype_digit($text) && strlen($text) <= 4 ? (int) $text : 0;
        return $number >= 1 && $number <= self::MAX_CONFIRMATIONS ? $number : null;
    }

    private static function confirmationFields(): array
    {
        $fields = [];
        foreach (Methods::COINS as $coin => $name) {
            $fields[self::fieldOf($coin)] = [
                /* translators: %s: name of a coin */
                'title' => sprintf(__('Confirmations of %s', 'tilld-for-woocommerce'), $name),
                'type' => 'confirmations',
                'default' => '',
                'css' => 'width: 6em',
                'placeholder' => __('as tilld', 'tilld-for-woocommerce'),
                'custom_attributes' => ['min' => '1', 'max' => (string) self::MAX_CONFIRMATIONS, 'step' => '1'],
            ];
        }
        $fields[self::fieldOf('BTC')]['description'] = __('Leave these fields empty to let tilld decide. A lower number than its own has no effect.', 'tilld-for-woocommerce');
        return $fields;
    }

    private static function fieldOf(string $coin): string
    {
        return 'confirmations_' . strtolower($coin);
    }
}
