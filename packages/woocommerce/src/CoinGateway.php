<?php

declare(strict_types=1);

namespace Tilld\WooCommerce;

defined('ABSPATH') || exit;

/** The payment method of one coin. Everything but its name is set at the gateway for all coins. */
final class CoinGateway extends Gateway
{
    /** @var string */
    private $coin;

    public function __construct(string $coin)
    {
        $this->coin = $coin;
        $this->init(Methods::idOf($coin), 'tilld: ' . Methods::COINS[$coin], strtolower($coin));
        /* translators: %s: name of a coin */
        $this->method_description = sprintf(__('%s only. Offered if the settings of tilld ask for one payment method for each coin.', 'tilld-for-woocommerce'), Methods::COINS[$coin]);
    }

    public function init_form_fields()
    {
        $name = Methods::COINS[$this->coin];
        $this->form_fields = [
            'enabled' => [
                'title' => __('Offer it', 'tilld-for-woocommerce'),
                'type' => 'checkbox',
                /* translators: %s: name of a coin */
                'label' => sprintf(__('Customers can pay with %s', 'tilld-for-woocommerce'), $name),
                'default' => 'yes',
            ],
            'title' => [
                'title' => __('Title', 'tilld-for-woocommerce'),
                'type' => 'text',
                'default' => $name,
            ],
            'description' => [
                'title' => __('Description', 'tilld-for-woocommerce'),
                'type' => 'textarea',
                /* translators: %s: name of a coin */
                'default' => sprintf(__('Pay with %s.', 'tilld-for-woocommerce'), $name),
            ],
        ];
    }

    public function admin_options()
    {
        \WC_Payment_Gateway::admin_options();
        echo '<p><a href="' . esc_url(Plugin::settingsUrl()) . '">' . esc_html__('All other settings are on the page of tilld', 'tilld-for-woocommerce') . '</a></p>';
    }

    protected function isOffered(): bool
    {
        return Methods::isPerCoin() && self::setting('enabled', 'no') === 'yes';
    }
}
