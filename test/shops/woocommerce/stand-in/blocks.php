<?php

declare(strict_types=1);

namespace Automattic\WooCommerce\Utilities {
    defined('ABSPATH') || exit;

    final class FeaturesUtil
    {
        public static $declared = [];

        public static function declare_compatibility(string $feature, string $file, bool $isCompatible = true): bool
        {
            self::$declared[$feature] = $isCompatible;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\Blocks\Payments\Integrations {
    abstract class AbstractPaymentMethodType
    {
        protected $name = '';
        protected $settings = [];

        public function get_name()
        {
            return $this->name;
        }

        abstract public function initialize();

        abstract public function is_active();

        abstract public function get_payment_method_script_handles();

        abstract public function get_payment_method_data();
    }
}

namespace Automattic\WooCommerce\Blocks\Payments {
    final class PaymentMethodRegistry
    {
        public $registered = [];

        public function register(Integrations\AbstractPaymentMethodType $method): bool
        {
            $this->registered[$method->get_name()] = $method;
            return true;
        }
    }
}

namespace Automattic\WooCommerce\StoreApi\Exceptions {
    /** Becomes the error of an answer. */
    class RouteException extends \Exception
    {
        public $error_code;

        public function __construct($errorCode, $message, $status = 400)
        {
            $this->error_code = $errorCode;
            parent::__construct($message, $status);
        }
    }
}

namespace {
    /** The script of the registry keeps the methods of those gateways that are active. */
    function shop_block_checkout(): void
    {
        $registry = new Automattic\WooCommerce\Blocks\Payments\PaymentMethodRegistry();
        do_action('woocommerce_blocks_payment_method_type_registration', $registry);
        wp_register_script('wc-settings', false, [], '1', true);
        wp_register_script('wc-blocks-registry', false, [], '1', true);
        $settings = [];
        $handles = ['wp-element'];
        foreach ($registry->registered as $name => $method) {
            $method->initialize();
            if ($method->is_active()) {
                $settings["{$name}_data"] = $method->get_payment_method_data();
                $handles = array_merge($handles, $method->get_payment_method_script_handles());
            }
        }
        wp_add_inline_script('wc-settings', 'window.wc = window.wc || {}; window.wc.wcSettings = { getSetting: function (name, fallback) { var all = ' . wp_json_encode($settings) . '; return name in all ? all[name] : fallback; } };');
        wp_add_inline_script('wc-blocks-registry', 'window.wc = window.wc || {}; window.shopMethods = {}; window.wc.wcBlocksRegistry = { registerPaymentMethod: function (method) { if (method.canMakePayment({})) window.shopMethods[method.name] = method; } };');
        wp_enqueue_script('shop-blocks', plugins_url('blocks.js', __FILE__), array_unique($handles), '1', true);
        echo '<div id="shop-blocks"></div>';
    }

    add_action('rest_api_init', static function (): void {
        register_rest_route('wc/store/v1', '/cart', [
            'methods' => 'GET',
            'permission_callback' => '__return_true',
            'callback' => static function (): array {
                do_action('woocommerce_cart_loaded_from_session', WC()->cart);
                return ['items_count' => WC()->cart->quantity()];
            },
        ]);
        register_rest_route('wc/store/v1', '/checkout', [
            'methods' => 'POST',
            'permission_callback' => '__return_true',
            'callback' => static function (WP_REST_Request $request) {
                try {
                    do_action('woocommerce_cart_loaded_from_session', WC()->cart);
                    $order = shop_place_order(sanitize_email($request['billing_address']['email']), sanitize_key($request['payment_method']), 'store-api');
                    do_action('woocommerce_store_api_checkout_update_order_from_request', $order, $request);
                    do_action('woocommerce_store_api_checkout_order_processed', $order);
                    $result = shop_process_payment($order);
                    return ['order_id' => $order->get_id(), 'status' => $order->get_status(), 'order_key' => $order->get_order_key(), 'payment_result' => ['payment_status' => 'success', 'payment_details' => [], 'redirect_url' => $result['redirect']]];
                } catch (Automattic\WooCommerce\StoreApi\Exceptions\RouteException $error) {
                    return new WP_Error($error->error_code, $error->getMessage(), ['status' => $error->getCode()]);
                } catch (Exception $error) {
                    return new WP_Error('woocommerce_rest_checkout_process_payment_error', $error->getMessage(), ['status' => 400]);
                }
            },
        ]);
    });
}
